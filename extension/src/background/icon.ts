/** The icon shows whether searches are being logged, and a mark when something waits for her. */

import { loggingNow } from "../log/state.ts";
import { message } from "../pages/messages.ts";

export async function showState(): Promise<void> {
  const { state, picture, blocked } = await loggingNow();
  await chrome.action.setIcon({ path: { 16: `icons/${picture}-16.png`, 32: `icons/${picture}-32.png` } });
  await chrome.action.setTitle({ title: message(state, blocked.names.join(", ")) });
}

export async function showWaiting(number: number): Promise<void> {
  await chrome.action.setBadgeBackgroundColor({ color: "#8a4b00" });
  await chrome.action.setBadgeText({ text: number > 0 ? String(number) : "" });
}
