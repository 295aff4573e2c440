/** What the page's own address says behind #, which no server sees; nothing where it is no text. */

export function behindHash(hash: string = location.hash): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return ""; // a broken escape
  }
}
