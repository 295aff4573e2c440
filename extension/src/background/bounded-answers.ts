/** Answers of servers, read no further than a service of crowdlog would write: whoever answers may send without end, or a byte a minute. */

const MOST_MS = 300_000; // for all of an answer
export const MOST_FILE = 32 * 2 ** 20; // of a crowd log, which goes to the page in one message: in Chromium these have at most 64 MiB

/** What an answer holds; undefined where it goes on and on. */
export async function bytesOf(answer: Response, most: number, milliseconds = MOST_MS): Promise<Uint8Array | undefined> {
  const reader = answer.body?.getReader();
  if (!reader) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  let [size, late] = [0, false];
  const end = setTimeout(() => {
    late = true;
    void reader.cancel().catch(() => undefined);
  }, milliseconds);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (late) return undefined;
      if (done) return joined(pieces, size);
      size += value.length;
      if (size > most) {
        void reader.cancel().catch(() => undefined);
        return undefined;
      }
      pieces.push(value);
    }
  } finally {
    clearTimeout(end);
  }
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
