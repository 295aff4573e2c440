/** The icon shows whether searches are being logged, and a mark when something waits for her. */

import { stateOfLogging } from "../log/switch.ts";
import { message } from "../pages/messages.ts";

export async function showState(): Promise<void> {
  const state = await stateOfLogging();
  const name = state === "icon_on" ? "on" : "off";
  await chrome.action.setIcon({ path: { 16: `icons/${name}-16.png`, 32: `icons/${name}-32.png` } });
  await chrome.action.setTitle({ title: message(state) });
}

export async function showWaiting(number: number): Promise<void> {
  await chrome.action.setBadgeBackgroundColor({ color: "#8a4b00" });
  await chrome.action.setBadgeText({ text: number > 0 ? String(number) : "" });
}
