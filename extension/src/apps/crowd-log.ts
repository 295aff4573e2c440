/** A published crowd log on this computer: fetched whole, once, so that using it asks nobody anything. */

import { Told } from "../../lib/told.ts";
import { decompress } from "fzstd";
import { parquetReadObjects } from "hyparquet";
import type { CrowdLog } from "../../lib/query-graph.ts";
import { readState, writeState } from "../store/state.ts";

const STATE = "crowd-log";

export interface KeptCrowdLog extends CrowdLog {
  readonly from: string;
  readonly time: number;
}

export function keptCrowdLog(): Promise<KeptCrowdLog | undefined> {
  return readState<KeptCrowdLog | undefined>(STATE, undefined);
}

export function forgetCrowdLog(): Promise<void> {
  return writeState(STATE, undefined);
}

export async function keepCrowdLog(from: string, tables: { queries?: Uint8Array | undefined; pairs?: Uint8Array | undefined }): Promise<KeptCrowdLog> {
  const queries = (await rowsOf(tables.queries)).map((row) => [String(row["query"]), Number(row["count"])] as const);
  const pairs = (await rowsOf(tables.pairs)).map((row) => [String(row["query"]), String(row["next_query"]), Number(row["count"])] as const);
  if (queries.length + pairs.length === 0) throw new Told("told_crowd_log_empty");
  const kept = { from, time: Date.now(), queries, pairs };
  await writeState(STATE, kept);
  return kept;
}

/** Rows of a table of a release (Parquet, zstd). */
async function rowsOf(file: Uint8Array | undefined): Promise<Record<string, unknown>[]> {
  if (!file) return [];
  const whole = file.slice().buffer;
  return parquetReadObjects({ file: whole, compressors: { ZSTD: (input: Uint8Array, length: number) => decompress(input, new Uint8Array(length)) } });
}
