/** Two sides of a worker that ask each other: each request has a number, each answer the same. */

import { offWire, onWire, type WireError } from "../log/wire.ts";

type Message = { readonly ask: number; readonly name: string; readonly args: readonly unknown[] } | { readonly answer: number; readonly value?: unknown; readonly error?: WireError };
type Handlers = Readonly<Record<string, (...args: never[]) => unknown>>;

interface Side {
  postMessage(message: unknown): void;
  addEventListener(type: "message", listener: (event: MessageEvent<Message>) => void): void;
}

/** Answers the other side's requests with these handlers; returns how to ask it. */
export function channel(side: Side, handlers: Handlers): (name: string, ...args: unknown[]) => Promise<unknown> {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let number = 0;
  side.addEventListener("message", ({ data }) => {
    if ("answer" in data) {
      const asked = waiting.get(data.answer);
      waiting.delete(data.answer);
      if (data.error === undefined) asked?.resolve(data.value);
      else asked?.reject(offWire(data.error));
      return;
    }
    const run = async () => (handlers[data.name] as (...args: unknown[]) => unknown)(...data.args);
    run().then(
      (value) => side.postMessage({ answer: data.ask, value }),
      (error: unknown) => side.postMessage({ answer: data.ask, error: onWire(error) }),
    );
  });
  return (name, ...args) =>
    new Promise((resolve, reject) => {
      const ask = ++number;
      waiting.set(ask, { resolve, reject });
      side.postMessage({ ask, name, args });
    });
}
