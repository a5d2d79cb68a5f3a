export const sessionsTexts = {
  sessions: {
    title: "Sessions",
    none: "No sessions",
    current: "this one",
    end: "End",
    endTitle: (name: string) => `End the session of “${name}”?`,
    endOwn: "End all of yours",
    endOwnTitle: "End all of your sessions, this one included?",
    endMore: "Its next request is rejected. Keys remain valid: to keep somebody out, revoke the key, too.",
    ended: "Ended",
    columns: {
      owner: "Who",
      scopes: "Scopes",
      used: "Last used",
      since: "Since",
      ends: "Ends",
      id: "Id",
      action: "Action",
    },
  },
} as const
