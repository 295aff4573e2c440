/** Texts in order of their code points, as Python sorts them; a browser's own order is that of UTF-16's units. */
export function byCodePoint(a: string, b: string): number {
  const [x, y] = [Array.from(a, (c) => c.codePointAt(0) as number), Array.from(b, (c) => c.codePointAt(0) as number)];
  const i = x.findIndex((value, index) => value !== y[index]);
  return i < 0 ? x.length - y.length : (x[i] as number) - (y[i] ?? -1);
}
