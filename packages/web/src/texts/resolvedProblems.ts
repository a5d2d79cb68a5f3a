export const resolvedProblemsTexts = {
  resolvedProblems: {
    none: "No resolved problems",
    noneMore: "A problem is listed here five minutes after it was seen last.",
    others: "many others",
    kinds: {
      "channel.failing": "Channel was failing",
      "channel.paused": "Channel was paused",
      "connection.failing": "Source could not be fetched",
      "certificate.expiring": "Certificate was expiring",
      "delivery.dead": "Dead deliveries",
      "delivery.overdue": "Attempts were overdue",
      "event.invalid": "Invalid events",
      "rotation.unfinished": "Rotation of a secret was not finished",
      "topic.behind": "Consumers were behind",
      "topic.missing": "Topic did not exist",
    },
    columns: {
      began: "Began",
      lasted: "Lasted",
      kind: "Problem",
      subject: "About",
      most: "At most",
      acknowledged: "Acknowledged",
    },
  },
} as const
