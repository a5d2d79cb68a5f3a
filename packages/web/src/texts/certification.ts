export const certificationTexts = {
  certification: {
    title: "Certify the receiver",
    intro:
      "About 30 genuine and forged deliveries with fictional data show whether the receiver verifies signatures, accepts duplicates and responds in time.",
    certify: "Certify",
    certifyTitle: "Certify the receiver?",
    certifyMore:
      "About 30 deliveries with fictional data are sent to this address. Usually it takes seconds.",
    address: "Address of the receiver",
    addressHint:
      "The channel's address, or another path of it. An operator may name any address, such as a test system's.",
    language: "Language of the code",
    languageHint: "What must be corrected is shown in this language.",
    earlier: "Report",
    none: "The receiver has not been certified yet",
    noneMore: "A receiver should be certified before the first real delivery, and after each change of it.",
    results: { passed: "Passed", failed: "Failed" },
    states: { waiting: "Waiting", running: "Running", done: "Done", failed: "Could not run" },
    couldNotRun: "The certification could not be finished",
    sent: "Sent",
    why: "Why",
    fix: "Fix",
    code: "Code that does it right",
    running: "More points are being checked …",
  },
} as const
