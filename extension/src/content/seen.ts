/** When a page is hers: browsers make pages ready that nobody asked for, and tabs may open behind the one she looks at. */

/** Resolves when the page is shown for good, not only made ready in advance; nothing of one that is thrown away was seen by anybody. */
export function activated(): Promise<void> {
  if (!(document as Document & { prerendering?: boolean }).prerendering) return Promise.resolve();
  return new Promise((resolve) => document.addEventListener("prerenderingchange", () => resolve(), { once: true }));
}

/** Resolves when the page is in sight for the first time. */
export async function inSight(): Promise<void> {
  await activated();
  if (document.visibilityState === "visible") return;
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (document.visibilityState !== "visible") return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
  });
}

/** Resolves when all of the page's own text has come. */
export function parsed(): Promise<void> {
  if (document.readyState !== "loading") return Promise.resolve();
  return new Promise((resolve) => document.addEventListener("DOMContentLoaded", () => resolve(), { once: true }));
}
