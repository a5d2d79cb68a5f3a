/** The services' consumer groups: of new events, of retries, and of triggers. */
export function groupNames(prefix: string) {
  return {
    paid: `${prefix}webhook-dispatcher.paid`,
    retries: `${prefix}webhook-dispatcher.retries`,
    triggers: `${prefix}sync-scheduler`,
  }
}
