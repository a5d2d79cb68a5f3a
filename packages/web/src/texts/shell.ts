export const shellTexts = {
  pages: {
    overview: "Overview",
    deliveries: "Deliveries",
    channels: "Channels",
    channel: "Your channel",
    connections: "Connections",
    incidents: "Resolved incidents",
    invalidEvents: "Invalid events",
    jobs: "Jobs",
    keys: "API keys",
    audit: "Audit log",
  },

  shell: {
    skip: "Skip to the content",
    console: "Console",
    bar: "Menu and search",
    menu: "Menu",
    navigation: "Pages",
    search: "Search",
    appearance: "Appearance",
    schemes: { auto: "System", light: "Light", dark: "Dark" },
    sessions: "Your sessions",
    api: "API reference",
    signOut: "Sign out",
    otherSession: (name: string) =>
      `You have signed in as ${name} in another tab. This page now shows what ${name} may see.`,
    interrupted: "Live updates are interrupted since",
    interruptedMore: "What you see may be out of date. The page tries to connect again by itself.",
  },

  missingPart: {
    title: "A part of the page could not be loaded",
    more: "The connection was interrupted, or the console was upgraded while the page was open.",
    reload: "Load the page again",
  },

  search: {
    title: "Search",
    placeholder: "Event, reference, site, delivery, channel or connection",
    results: "Results",
    none: "Nothing found.",
    whole: "Deliveries are found by the whole id, reference or site.",
    email: "Whoever may erase personal data finds deliveries by the whole e-mail address.",
    failed: (what: string) => `These could not be searched: ${what}. Search again in a moment.`,
    hint: "↑ ↓ to choose, Enter to open, Esc to close.",
    page: "Page",
    channel: "Channel",
    connection: "Connection",
    delivery: "Delivery",
  },
} as const
