/** The services' consumer groups, without a topic prefix. */
export const groups = {
  paid: "webhook-dispatcher.paid",
  due: "webhook-dispatcher.due",
  triggers: "sync-scheduler",
}
