/** Rows of one person from a file: JSON Lines as the export writes them, or AOL's layout as `crowdlog synth` does. */

import { Told } from "../../lib/told.ts";
import type { Row } from "./export.ts";

/** The rows of the first person; a line that cannot be read is named. */
export function readRows(text: string): Row[] {
  const lines = text.split(/\r?\n/);
  const aol = lines[0]?.startsWith("AnonID\t") ?? false;
  const rows = lines.flatMap((one, i) => (one.trim() === "" || (aol && i === 0) ? [] : [checked(aol ? ofAol(one) : ofJson(one), i + 1)]));
  return rows.filter(({ user }) => user === rows[0]?.user);
}

function ofJson(text: string): Partial<Row> | undefined {
  try {
    return JSON.parse(text) as Partial<Row>;
  } catch {
    return undefined;
  }
}

function ofAol(text: string): Partial<Row> {
  const [user = "", query = "", time = "", rank = "", url = ""] = text.split("\t");
  const row = { user, query, time: Date.parse(`${time.replace(" ", "T")}Z`) / 1000 };
  return url === "" ? row : { ...row, rank: Number(rank), url };
}

function checked(row: Partial<Row> | undefined, line: number): Row {
  if (typeof row?.query !== "string" || !Number.isFinite(row.time)) throw new Told("simulator_line", line);
  return row as Row;
}
