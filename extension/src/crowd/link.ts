/** An invitation link: https://HOST/collections/ID#INVITATION. What stands behind # is sent with the request to join and nowhere else. */

import { ReportError } from "../../lib/bytes.ts";

export interface Link {
  readonly server: string;
  readonly collection: string;
  readonly invitation: string;
}

export function parseLink(text: string): Link {
  const found = /^(https?:\/\/[^/?#\s]+(?:\/[^?#\s]*)?)\/collections\/([0-9a-f]{64})\/?#(\S+)$/.exec(text.trim());
  if (!found) throw new ReportError("told_link");
  const [, server, collection, invitation] = found as unknown as [string, string, string, string];
  return { server, collection, invitation };
}
