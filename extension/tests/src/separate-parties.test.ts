/** One service in two roles of a collection is refused where its terms show it. */

import { describe, expect, it } from "vitest";
import vectors from "../../../tests/vectors/crowd-client.json";
import { digestOf } from "../../lib/terms.ts";
import { toHex } from "../../lib/bytes.ts";
import { Manifest, type ManifestJson, type Party } from "../../src/crowd/manifest.ts";
import { mayBeOne } from "../../src/crowd/separate-parties.ts";

type Keys = { readonly mix_publics: readonly string[]; readonly report_issuer: string };
const manifest = structuredClone(vectors.manifests[0]?.manifest) as unknown as ManifestJson;
const keys = manifest.collection as Keys;
const party = (number: number): Party => manifest.parties[number] as Party;

/** The same terms but for this, under an id of their own. */
function made(change: Partial<ManifestJson>): Manifest {
  const { collection, ...description } = { ...manifest, ...change };
  return Manifest.fromJson({ ...description, collection: { ...(collection as object), terms: toHex(digestOf(description as never)) } });
}

const withParty = (number: number, change: Partial<Party>): Partial<ManifestJson> => ({ parties: manifest.parties.map((one, n) => (n === number ? { ...one, ...change } : one)) });
const withKeys = (change: object): Partial<ManifestJson> => ({ collection: { ...keys, ...change } });

describe("one service in two roles", () => {
  it.each([
    ["one key for both mixes", withParty(2, { signing: party(1).signing })],
    ["one address for both mixes", withParty(2, { url: party(1).url })],
    ["one address written otherwise", withParty(2, { url: "HTTP://1.INVALID.:80/" })],
    ["a mix at the aggregation server's address", withParty(3, { url: party(2).url })],
    ["mixes with one key for envelopes", withKeys({ mix_publics: [keys.mix_publics[0], keys.mix_publics[0], keys.mix_publics[2]] })],
    ["one key for credentials", withKeys({ evaluation_issuer: keys.report_issuer })],
  ])("is refused: %s", (_what, change) => {
    expect(() => made(change)).toThrow("told_one_party");
  });
  it("is not seen behind another port or path, but one host and one owner are told", () => {
    expect(mayBeOne(made({}).json.parties)).toBe(false);
    expect(mayBeOne(made(withParty(2, { url: "http://1.invalid:8001" })).json.parties)).toBe(true);
    expect(mayBeOne(made(withParty(2, { owner: party(1).owner })).json.parties)).toBe(true);
  });
});
