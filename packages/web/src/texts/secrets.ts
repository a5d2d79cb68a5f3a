export const secretsTexts = {
  secrets: {
    rotation: "Rotate the signing secret",
    intro:
      "Four steps replace the secret without a failed delivery. You can leave the page between them: it shows the next step, also to others.",
    done: "Done",
    partner: "What the partner must do now",
    steps: {
      stage: {
        title: "Create the new secret",
        what: "The active secret keeps signing. The new one is shown until it is activated.",
        label: "Create new secret",
      },
      test: {
        title: "Test the new secret",
        what: "A delivery with fictional data shows whether the receiver accepts it. Nothing changes yet.",
        partner: "Let the receiver accept both secrets, and deploy it. Then test it.",
        label: "Test new secret",
      },
      activate: {
        title: "Activate the new secret",
        what: "From then on it signs every attempt, also of deliveries that wait.",
      },
      retire: {
        title: "Delete the old secret, or return to it",
        what: "It signs nothing any more. Until it is deleted, you can return to it.",
        partner:
          "Remove the old secret from the receiver when the latest attempts were signed by the new one and accepted.",
        label: "Delete old secret",
      },
    },
    stageTitle: (id: string) => `Create a new secret for ${id}?`,
    stageMore: "Nothing changes for the partner yet. Have a secure place for the new secret ready.",
    testTitle: "Test the new secret?",
    testMore: (address: string) =>
      `One delivery with fictional data is sent to ${address}, signed only by the new secret.`,
    testAgain: "Test again",
    results: {
      accepted: "The receiver accepts the secret",
      rejected: "The receiver does not accept the secret",
    },
    untested: "No test has shown that the receiver accepts this secret",
    untestedMore:
      "If the receiver does not accept it, all deliveries fail. They are retried, and you can return.",
    activate: {
      label: "Activate",
      title: (id: string) => `Activate secret ${id}?`,
      more: (channel: string, old: string) =>
        `Every attempt to ${channel} is signed by it at once. A receiver that knows only ${old} rejects all deliveries.`,
      done: "The new secret signs from now on",
    },
    revert: {
      label: "Return to the old secret",
      title: (id: string) => `Sign with the old secret ${id} again?`,
      more: (channel: string, now: string) =>
        `Every attempt to ${channel} is signed by it at once. ${now} is kept, so that you can return to it, too.`,
      done: "The old secret signs again",
    },
    force: "Also if the receiver rejected it",
    forceHint: "If the last test found that the receiver does not accept the secret, all deliveries fail.",
    retireTitle: (id: string) => `Delete the old secret ${id}?`,
    retireMore: (channel: string) =>
      `The rotation of ${channel} is then finished. The secret cannot be brought back.`,
    abandon: "Abandon rotation",
    abandonTitle: (id: string) => `Delete the new secret ${id}?`,
    abandonMore: "The active secret stays. The new one is deleted and was never used.",
    retired: "The secret is deleted",
    once: "Store the new secret now",
    onceMore: "Nobody can read it after its activation. Give it to the partner over a secure channel.",
    show: "Show new secret",
    showTitle: "Show the new secret?",
    showMore: "The audit log shows who did.",
    newSecret: "New signing secret",
    current: "Secrets of this channel",
    active: "Active",
    others: { staged: "Staged", retiring: "Retiring" },
    latest: "What signed the latest attempts",
    byActive: "the active secret",
    noAttempts: "There was no attempt yet.",
  },
} as const
