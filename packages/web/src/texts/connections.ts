export const connectionsTexts = {
  connections: {
    search: "Search",
    searchHint: "Id, site or source",
    state: "State",
    none: "No connections yet",
    noneMore: "Create one to get the URL that the partner calls when its data changes.",
    noneFound: "No connection matches these filters",
    columns: { id: "Connection", site: "Site", source: "Source", state: "State", lastSync: "Last sync" },
  },

  createConnection: {
    label: "Create connection",
    title: "Create a connection",
    site: "Site",
    siteHint: "The host of the owner's site.",
    source: "Source",
    sourceHint: "The URL of the partner's API, which is fetched after each trigger.",
    created: (id: string) => `Connection ${id} is created`,
    secretMore:
      "It signs each request to the source, so that the partner can verify that it comes from here.",
  },
} as const
