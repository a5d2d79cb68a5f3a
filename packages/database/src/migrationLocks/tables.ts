/**
 * Tables whose rows are made by people or are few: reading one of them whole takes milliseconds. All other tables grow
 * with events, triggers or syncs.
 */
export const smallTables: readonly string[] = [
  ...["api_key", "session", "sign_in_link"],
  ...["channel", "channel_rate", "deleted_channel", "retired_secret", "receiver_certificate"],
  ...["dispatcher", "sweep_position", "statistics_position"],
]

/**
 * These migrations are applied together to an empty database by the first release, so their locks block nobody. Never
 * add a name after that release.
 */
export const firstRelease: readonly string[] = [
  "20261121000000_first",
  "20261121060000_room_for_updates",
  "20261122000000_attempt_detail",
  "20261123000000_deferred_deliveries",
  "20261123010000_erasure_index",
  "20261123010000_sync_hosts_and_grants",
  "20261123020000_lease_expires_at",
  "20261123040000_attempt_ip",
  "20261123100000_sync_window_columns",
  "20261123110000_scopes_audit_idempotency",
  "20261123120000_delivery_search",
  "20261123121000_channel_status_rate_deletion",
  "20261123122000_receiver_checks",
  "20261123123000_connection_management",
  "20261123124000_statistics",
  "20261123125000_reconcile_job",
  "20261123126000_notifications",
  "20261123127000_job_stream",
  "20261123130000_sessions",
  "20261124110000_syncs_by_time",
  "20261124111000_replaced_tokens",
  "20261124112000_previous_content",
]
