export const syncsTexts = {
  syncs: {
    connection: "Connection",
    site: "Site",
    outcome: "Outcome",
    none: "No syncs are stored",
    noneMore: "A trigger of a connection starts one. Old syncs are deleted.",
    noneFound: "No sync matches these filters",
    columns: {
      started: "Sync started",
      connection: "Connection",
      site: "Site",
      triggers: "Covers",
      outcome: "Outcome",
      duration: "Duration",
      size: "Size",
    },
  },
} as const
