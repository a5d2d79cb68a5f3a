export const commonTexts = {
  common: {
    ago: (span: string) => `${span} ago`,
    in: (span: string) => `in ${span}`,
    now: "at any moment",
    loading: "Loading …",
    close: "Close",
    cancel: "Cancel",
    copied: "Copied",
    copy: (what: string) => `Copy: ${what}`,
    more: "Show more",
    all: "All",
    clearFilters: "Clear filters",
    reason: "Reason",
    reasonOptional: "Reason (optional)",
    reasonHint: "For the audit log. It is never erased, so name no person; a ticket's number is enough.",
  },

  failed: {
    title: "This could not be read",
    noResponse: "No response",
    slow: "The console, or its Postgres, does not respond. The page opens by itself when it does.",
    unreachable: "The console does not respond. Check your network, and try again.",
    request: "Request id for the operator:",
    retry: "Try again",
    notFound: "Not found",
    notFoundMore: "It does not exist, or you may not see it.",
    forbidden: "You may not see this",
    forbiddenMore: "The scopes of your key do not include this page.",
    toStart: "To the start page",
  },

  changedMeanwhile: {
    title: "Somebody else has changed this meanwhile",
    more: "So nothing was saved. See what is stored now, and then repeat your change.",
    show: "Show the current version",
  },

  timeRange: {
    period: "Period",
    periods: {
      any: "Any time",
      hour: "Last hour",
      today: "Today",
      yesterday: "Yesterday",
      week: "Last 7 days",
    },
    chosen: "Own times",
    from: (zone: string) => `From (${zone})`,
    until: "Until",
  },

  secretDialog: {
    once: "Store it now",
    onceMore: "It is shown only this once. Pass it on over a secure channel.",
    stored: "I have stored it",
  },

  requestHeaders: {
    title: "Request headers",
    none: "No request headers are set. If the partner's server needs a credential, set Authorization here.",
    some: (names: string) => `Each request has these headers: ${names}. Their values are never shown.`,
    name: "Header",
    value: "Value",
    add: "Add a request header",
    set: "Set headers",
    setTitle: (id: string) => `Set the request headers of ${id}?`,
    setMore:
      "They replace all that are set. The values are stored encrypted, and nobody can read them here again. The next request has them.",
    needed: "The request headers are not sent to another server unless you enter their values again.",
    remove: "Remove headers",
    removeTitle: (id: string) => `Remove the request headers of ${id}?`,
    removeMore: "The next request is made without them.",
    changed: "The request headers are changed",
    lastChanged: "Last changed",
  },

  startJob: {
    counting: "Counting …",
    leftOut: (count: string) =>
      `${count} are left out, because they were erased or their channel was deleted.`,
  },
} as const
