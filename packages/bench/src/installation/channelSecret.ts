/** The secret with which all channels and the bare loop sign. */
export const channelSecret = "a secret of the bench"
