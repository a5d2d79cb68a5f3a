// One secret, or the old and the new one, separated by a comma.
export const readSecrets = () => (process.env.SITEWIRE_SECRETS ?? "").split(",")
