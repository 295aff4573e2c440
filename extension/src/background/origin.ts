/** Firefox names the installation in `Origin: moz-extension://…`, an id for life: what the background asks of a server goes without it. The rule
 *  holds for requests that this extension makes by itself, to servers that she has allowed, and for no other: workers of web pages have no
 *  tab either, and servers need to know where theirs come from. */

const RULE = 1;

export function ruleFor(hosts: readonly string[], own: string): chrome.declarativeNetRequest.Rule {
  return {
    id: RULE,
    action: { type: "modifyHeaders" as chrome.declarativeNetRequest.RuleActionType, requestHeaders: [{ header: "origin", operation: "remove" as chrome.declarativeNetRequest.HeaderOperation }] },
    condition: { initiatorDomains: [own], requestDomains: [...hosts], tabIds: [-1], resourceTypes: ["xmlhttprequest" as chrome.declarativeNetRequest.ResourceType] },
  };
}

let working: Promise<void> = Promise.resolve();

/** Returns when the rule is in force for this host; `allowed` are all hosts that may be asked now. Calls wait for each other, so that none
 *  replaces the rule by one that was thought of earlier. */
export function hideOriginFrom(host: string, allowed: () => Promise<readonly string[]>): Promise<void> {
  working = working.catch(() => undefined).then(() => setRule(host, allowed));
  return working;
}

async function setRule(host: string, allowed: () => Promise<readonly string[]>): Promise<void> {
  const [now] = await chrome.declarativeNetRequest.getSessionRules();
  if (now?.condition.requestDomains?.includes(host)) return;
  const hosts = new Set([host, ...(await allowed())]);
  const own = new URL(chrome.runtime.getURL("")).hostname;
  await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: [RULE], addRules: [ruleFor([...hosts], own)] });
}
