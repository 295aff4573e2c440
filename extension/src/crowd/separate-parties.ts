/** Which parties of a collection are one and the same, as far as its terms can show it; as `crowdlog.crowd.separate_parties`. */

import { PrivacyRefusal, toHex } from "../../lib/bytes.ts";
import { type Collection, ISSUERS } from "../../lib/collection.ts";

interface Addressed {
  readonly owner: string;
  readonly url: string;
  readonly signing: string;
}

/** One service in two roles sees what only both together may see: two parties with one address or one key are refused. */
export function refuseOneInTwoRoles(parties: readonly Addressed[], collection: Collection): void {
  const shared: readonly (readonly string[])[] = [
    parties.map(({ url }) => placeOf(url).join(" ")),
    parties.map(({ signing }) => signing.toLowerCase()),
    collection.mixPublics.map(toHex),
    ISSUERS.map((name) => toHex(collection.issuers[name])),
  ];
  if (shared.some((values) => new Set(values).size < values.length)) throw new PrivacyRefusal("told_one_party");
}

/** Whether several parties are at one host or have one owner: nobody can tell from the terms whether they are one. */
export function mayBeOne(parties: readonly Addressed[]): boolean {
  const hosts = new Set(parties.map(({ url }) => placeOf(url)[0]));
  const owners = new Set(parties.map(({ owner }) => owner));
  return hosts.size < parties.length || owners.size < parties.length;
}

/** Where an address leads, however it is written: host, port and path. */
function placeOf(address: string): readonly [string, string, string] {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return [address, "", ""]; // no address at all: it leads nowhere else than its text says
  }
  const port = url.port || (url.protocol === "http:" ? "80" : "443");
  return [url.hostname.replace(/\.$/, ""), port, url.pathname.replace(/\/+$/, "")];
}
