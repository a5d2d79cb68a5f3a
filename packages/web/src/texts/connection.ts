const triggersOf = (count: number) => (count === 1 ? "1 trigger" : `${count} triggers`)
const passedOn = (count: number) =>
  `The next sync has its ${count === 1 ? "trigger" : triggersOf(count)}, too`

export const connectionTexts = {
  connection: {
    facts: "Connection",
    site: "Site",
    source: "Source",
    runner: "Fetched by",
    runners: { pull: "Sitewire", delegate: "an internal executor" },
    lastSync: "Last sync",
    lastSuccess: "Last success",
    nextSync: "Next sync",
    never: "There was none yet",
    created: "Created",
    windows: "Triggers and syncs",
    windowsHint: "at most one sync a minute",
    failing: (error: string) => `The source cannot be fetched: ${error}`,
    failingFor: "For",
    retried: "It is fetched again",
    keepsContent: "The site keeps the content of the last success.",
    noContent: "The site has no content yet.",
    sync: "Sync now",
    syncTitle: (id: string) => `Fetch the source of ${id} now?`,
    syncMore: "It counts as a trigger: it starts when the current window ends.",
    syncRequested: (at: string) => `The sync starts at ${at} or later`,
    change: "Change source",
    changeTitle: (id: string) => `Change the source of ${id}?`,
    changeMore:
      "A running sync is discarded. The new source is fetched in the next window and replaces the content.",
    changeConfirm: "Change",
    changed: "The source is changed",
    delete: "Delete",
    deleteTitle: (id: string) => `Delete connection ${id}?`,
    deleteMore:
      "Its trigger URL responds 404 at once, and its syncs and content are deleted. This cannot be undone.",
    deleted: (id: string) => `Connection ${id} is deleted`,
  },

  triggerUrl: {
    title: "Trigger URL",
    intro:
      "The partner sends a POST to this URL whenever its data has changed. Whoever knows it can start a sync.",
    url: "Trigger URL",
    show: "Show",
    showTitle: "Show the trigger URL?",
    showMore: "It contains a secret token. That you have seen it is written to the audit log.",
    replace: "Replace token",
    replaceTitle: (id: string) => `Replace the token of ${id}?`,
    replaceConfirm: "Replace",
    replaceMore: (site: string) =>
      `The old URL responds 404 at once, so the site ${site} gets no updates until the partner calls the new one. Have the partner ready.`,
    replaced: "The old URL no longer works",
    replacedMore: "Give the new URL to the partner now. Its calls to the old one get 404.",
    lastReplaced: "Last replaced",
  },

  signingSecret: {
    title: "Signing secret",
    intro:
      "Each request to the source is signed with a secret of this connection, so that the partner can verify that it comes from here.",
    replace: "Replace secret",
    replaceTitle: (id: string) => `Replace the signing secret of ${id}?`,
    replaceConfirm: "Replace",
    replaceMore:
      "The next sync is signed with the new secret. A source that verifies rejects syncs until the partner has it, and they are retried. Have the partner ready.",
    replaced: (id: string) => `The signing secret of ${id} is replaced`,
    lastReplaced: "Last replaced",
  },

  windows: {
    none: "No syncs are stored",
    noneMore: "A trigger starts one. Old syncs are deleted.",
    sync: "Sync",
    nextSync: "Next sync",
    mayStart: "may start",
    wait: (count: number) => `${triggersOf(count)} ${count === 1 ? "waits" : "wait"} for it`,
    covers: {
      running: (count: number) => `It covers ${triggersOf(count)}`,
      changed: (count: number) => `It covered ${triggersOf(count)}`,
      unchanged: (count: number) => `It covered ${triggersOf(count)}`,
      failed: (count: number) => passedOn(count),
      abandoned: (count: number) => passedOn(count),
    },
    because: (outcome: string, reason: string) => `${outcome}: ${reason}`,
    acceptedAt: ", accepted at",
    acceptedFrom: ", accepted from",
    and: "and",
    to: "to",
    complete: (span: string, one: boolean) =>
      one ? `Complete ${span} later.` : `Complete ${span} after the first.`,
    explain:
      "A trigger is a call of the trigger URL that got 202, or “Sync now”. Of more than two triggers of a sync, only the first and the last time are stored.",
    count: triggersOf,
    strip: (count: number) =>
      `The newest ${count} windows on a line of time. The list below has the same data.`,
    triggersSign: "first and last trigger, with their number",
    coveredSign: "a sync and its minute",
    failedSign: "a failed sync",
    pendingSign: "the next sync",
  },

  content: {
    title: "Content",
    none: "Nothing has been fetched yet.",
    cut: "Only the beginning is shown.",
    download: "Download all",
  },

  changes: {
    title: "Changes of the content",
    columns: { changed: "Changed", size: "Size", difference: "Difference" },
  },
} as const
