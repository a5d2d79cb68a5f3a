/** All channels and the bare loop sign with it. */
export const channelSecret = "a secret of the bench"
