import { deliveriesOf } from "@sitewire/contracts/partnerMessage"

export const channelTexts = {
  channel: {
    tabs: { health: "Health", secrets: "Secrets", receiver: "Receiver", settings: "Settings" },
    test: "Send test",
    testTitle: "Send a test delivery?",
    testMore: (address: string) =>
      `One delivery with fictional data is sent to ${address}. Its reference is sitewire-test. It is not retried.`,
    testDone: "Test delivery",
    testPassed: "The receiver accepted it",
    testFailed: "The receiver did not accept it",
    pause: "Pause",
    pauseTitle: (id: string) => `Pause channel ${id}?`,
    pauseMore: (id: string) =>
      `Within a second, nothing more is sent to the partner of ${id}. Its deliveries are stored and wait. The pause does not count towards their retry period.`,
    paused: (id: string) => `Channel ${id} is paused`,
    resume: "Resume",
    resumeTitle: (id: string) => `Resume channel ${id}?`,
    resumeMore: (id: string) => `What waits is sent to the partner of ${id}, oldest first.`,
    resumed: (id: string) => `Channel ${id} is sending again`,
  },

  health: {
    lastHour: "Success, last hour",
    lastDay: "Success, last 24 h",
    ofAttempts: (text: string, count: number) => (count === 1 ? "of 1 attempt" : `of ${text} attempts`),
    latency: "Latency p50, last hour",
    latencyMore: (p99: string) => `p99 ${p99}`,
    retries: "Waiting for a retry",
    nextRetry: "next",
    deferred: "Deferred",
    oldestOnly: "Of the oldest",
    lastSuccess: "Last success",
    lastFailure: "Last failure",
    responses: "Responses to its newest deliveries, last 24 h",
    when: "When",
    response: "Response",
    detail: "Reason",
    delivery: "Delivery",
    noSuccess: "None in the last 7 days.",
    noFailure: "None in the last 24 hours.",
    paused: "The channel is paused",
    pausedFor: "For",
    pausedMore: "Its deliveries are stored, and sent when an operator resumes it.",
    breakerOpen: "The circuit breaker is open",
    failing: "Deliveries fail again and again",
    breakerFor: "For",
    lastError: (what: string) => `Last failure: ${what.replace(/\.$/, "")}.`,
    failingMore: (waiting: string, one: boolean) =>
      `${deliveriesOf(waiting, one)} ${one ? "waits" : "wait"} for another attempt. One that is not accepted within its retry period becomes dead: nothing more is sent by itself.`,
    correct: "Correct the receiver.",
    dead: "Dead",
    deadOf: "of the last 7 days",
    deadTitle: (count: string, one: boolean) => `${deliveriesOf(count, one)} ${one ? "is" : "are"} dead`,
    deadMore: "They were not accepted within their retry period, and nothing more is sent by itself.",
    showDead: "Show them",
    resendDead: "Resend its dead",
  },

  tellPartner: {
    button: "Tell the partner",
    title: "A message for the partner",
    message: "the message",
    whatToDo: "What to do",
  },

  receiver: {
    title: "Check the receiver",
    intro:
      "This command of the package @sitewire/signing sends about 30 genuine and forged deliveries with fictional data, and reports what the receiver does wrong. It needs no key. Run it before the first real delivery and after each change, with the signing secret in the variable SITEWIRE_SECRET. If your headers do not begin with X-Sitewire, add --service-name.",
    command: "the command",
    write: "Write the receiver",
    writeMore:
      "There are libraries and whole receivers for Node (@sitewire/signing), Python, Go, Java, PHP and Ruby: the table at the beginning of docs/partners.md lists them.",
    rules: [
      "Verify the bytes that arrived, before any JSON parser.",
      "Respond 401 if the header is missing or wrong.",
      "Respond 2xx within 10 seconds, also to a delivery that you know already. Do the work afterwards.",
    ],
  },

  settings: {
    title: "Settings",
    address: "Notification address",
    addressHint:
      "Gets a test delivery before it is saved. Applies at once, also to deliveries that wait for their next attempt.",
    changeAddress: "Change address",
    changeAddressTitle: "Change the notification address?",
    changeAddressMore:
      "A test delivery with the header X-Sitewire-Challenge is sent to the new address. If the receiver returns the header, the address is changed; until then, deliveries go to the current one.",
    addressChanged: "Deliveries go to the new address from now on",
    partnerMayChange: "The partner may change the address",
    partnerMayChangeHint:
      "To one whose receiver answers a challenge. ALLOWED_RANGES does not apply to this channel then.",
    max: "Maximum rate",
    maxHint: "Attempts per second, evenly spread. Further deliveries wait.",
    noMax: "No maximum",
    perSecond: (count: number) => `${count} per second`,
    standard: "Standard Webhooks headers",
    standardHint: "Also sends webhook-id, webhook-timestamp and webhook-signature.",
    contact: "Contact",
    contactHint:
      "E-mail address of the partner. It is written to when the channel fails, and when it has recovered. Empty: nobody is written to.",
    contactMasked: "Masked: the scope personal-data shows it.",
    noContact: "Nobody is written to",
    on: "Sent",
    off: "Not sent",
    created: "Created",
    save: "Save",
    saveAnyway: "Save anyway",
    notSaved: "Nothing is changed. Correct the address, or save it anyway.",
    saved: "The channel is changed",
    delete: "Delete channel",
    deleteMore: (id: string) =>
      `Later events of ${id} become invalid events. Its deliveries stay readable until they are old.`,
    deleteTitle: (id: string) => `Delete channel ${id}?`,
    deleteConfirm: (id: string) => `Delete ${id}`,
    deleteExplained: (id: string) =>
      `The partner of ${id} gets nothing more, and its signing secrets are deleted. This cannot be undone, and no other channel can have this id.`,
    force: "Also if deliveries wait",
    forceHint: "They become dead and are not sent. Otherwise, the channel is deleted only if none waits.",
    deleted: (id: string, count: string, waiting: number) =>
      waiting === 0
        ? `Channel ${id} is deleted`
        : `Channel ${id} is deleted. ${deliveriesOf(count, waiting === 1)} that waited: dead within a minute`,
  },
} as const
