/** The page's side of the worker that seals. */

import type { Link } from "../crowd/link.ts";
import type { ManifestJson } from "../crowd/manifest.ts";
import type { Chosen, Sample } from "../crowd/sample.ts";
import type { Item } from "../store/crowd.ts";
import { channel } from "../workers/channel.ts";
import { callThroughGate } from "./background.ts";

export interface SealClient {
  terms(link: Link): Promise<ManifestJson>;
  check(manifest: ManifestJson): Promise<string>;
  join(link: Link, manifest: ManifestJson, head: string): Promise<void>;
  choose(collection: string): Promise<Sample>;
  prepare(collection: string, chosen: readonly Chosen[]): Promise<number>;
  strike(item: Item): Promise<void>;
}

export function sealClient(progress: (done: number, of: number) => void): SealClient {
  const ask = channel(new Worker("seal-worker.js"), { call: callThroughGate as never, progress: progress as never });
  const named = (name: string) => (...args: unknown[]) => ask(name, ...args);
  return { terms: named("terms"), check: named("check"), join: named("join"), choose: named("choose"), prepare: named("prepare"), strike: named("strike") } as unknown as SealClient;
}
