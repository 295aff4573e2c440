/** The terms of a collection in words: everything that its id binds, but the keys, so that nothing is agreed to unseen. */

import { message } from "../pages/messages.ts";
import { ALWAYS, type ManifestJson } from "./manifest.ts";

export type TermRow = readonly [name: string, value: string];

/** Numbers of the cryptographic part that a person can read. */
interface Numbers {
  readonly k: number;
  readonly limit: number;
  readonly inner_k: number;
  readonly inner_slots: number;
}

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "short" });
const HOUR = 3600;

/** `asked`: what is mined, in words. */
export function termRows(manifest: ManifestJson, asked: string): TermRow[] {
  const { consent } = manifest;
  const { k, limit } = manifest.collection as Numbers;
  const impressions = manifest.count === "impressions";
  return [
    [message("terms_purpose"), consent.purpose],
    [message("terms_institution"), consent.institution],
    [message("terms_contact"), consent.contact],
    [message("terms_asked"), asked],
    [message("terms_written"), message(`representation_${manifest.representation}`)],
    ...along(manifest),
    ...partOfLog(manifest),
    [message("terms_published"), consent.published],
    [message("terms_k"), message("terms_k_value", k)],
    ...inside(manifest),
    [message("terms_limit"), message(impressions ? "terms_limit_times" : "terms_limit_value", limit)],
    [message("terms_counted"), message(impressions ? "terms_counted_times" : "terms_counted_people")],
    ...sampling(manifest),
    [message("terms_crowd"), message("terms_crowd_value", manifest.smallest_crowd)],
    [message("terms_cover"), message(manifest.cover ? "preview_cover" : "preview_no_cover")],
    [message("terms_policy"), [manifest.policy, manifest.inner_policy].filter((rule) => rule !== "").join(" · ")],
    [message("terms_dates"), consent.dates],
    ...times(manifest),
    ...rounds(manifest),
    [message("terms_version"), String(consent.version)],
  ];
}

function date(seconds: number): string {
  return DATE.format(seconds * 1000);
}

function along({ secondary }: ManifestJson): TermRow[] {
  return secondary === "" ? [] : [[message("terms_along"), message("terms_along_value")]];
}

function partOfLog({ job }: ManifestJson): TermRow[] {
  if (job.log_from === 0 && job.log_until === 0) return [[message("terms_part"), message("terms_part_all")]];
  const from = job.log_from === 0 ? message("terms_part_beginning") : date(job.log_from);
  return [[message("terms_part"), message("terms_part_value", from, job.log_until === 0 ? message("terms_part_now") : date(job.log_until))]];
}

/** What a nested collection puts into its reports. */
function inside({ inner_artifact: inner, collection }: ManifestJson): TermRow[] {
  if (inner === "") return [];
  const { inner_k: k, inner_slots: slots } = collection as Numbers;
  return [[message("terms_inside"), message("terms_inside_value", message(`artifact_${inner.replaceAll("-", "_")}`), slots, k)]];
}

function sampling({ sampling: share }: ManifestJson): TermRow[] {
  return share === ALWAYS ? [] : [[message("terms_sampling"), message("terms_sampling_value", (100 * share) / ALWAYS)]];
}

function times({ job, mining_until: until, upload_seconds: seconds }: ManifestJson): TermRow[] {
  const from: TermRow[] = job.mining_from === 0 ? [] : [[message("terms_from"), date(job.mining_from)]];
  return [...from, [message("terms_until"), date(until)], [message("terms_upload"), message("terms_upload_value", Math.round((10 * seconds) / HOUR) / 10)]];
}

function rounds({ job }: ManifestJson): TermRow[] {
  return [
    ...(job.panel === "" ? [] : [[message("terms_panel"), job.panel] as const]),
    ...(job.repeat_seconds === 0 ? [] : [[message("terms_repeat"), message("terms_repeat_value", Math.round((10 * job.repeat_seconds) / (24 * HOUR)) / 10)] as const]),
    ...(job.previous === "" ? [] : [[message("terms_previous"), job.previous] as const]),
  ];
}
