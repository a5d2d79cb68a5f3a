// Written by `npm run docs` from the code. Do not edit.

export interface components {
  schemas: {
    CreateChannel: { "id"?: string; "address": string; "standard_webhooks"?: boolean; "request_headers"?: ({ "name": string; "value": string })[]; "max_per_second"?: number | null; "operator_notifications"?: boolean; "partner_may_change_address"?: boolean; "contact"?: string | null }
    ChangeChannel: { "address"?: string; "standard_webhooks"?: boolean; "request_headers"?: ({ "name": string; "value": string })[]; "send_traceparent"?: boolean; "max_per_second"?: number | null; "operator_notifications"?: boolean; "partner_may_change_address"?: boolean; "contact"?: string | null }
    ChangeAddress: { "address": string }
    CreateConnection: { "id"?: string; "site": string; "source": string; "runner"?: "pull" | "delegate"; "request_headers"?: ({ "name": string; "value": string })[] }
    ChangeConnection: { "source"?: string; "runner"?: "pull" | "delegate"; "request_headers"?: ({ "name": string; "value": string })[] }
    ResendDelivery: { "reason"?: string }
    CancelDelivery: { "reason"?: string }
    CreateResendJob: { "filter": { "channel"?: string; "state"?: "pending" | "delivered" | "dead" | "cancelled"; "created_after"?: string; "created_before"?: string }; "reason": string; "per_second"?: number; "dry_run"?: boolean }
    CreateReplayJob: { "filter": { "reason"?: string; "rejected_after"?: string; "rejected_before"?: string }; "reason": string; "per_second"?: number; "dry_run"?: boolean }
    CreateErasureJob: { "email": string; "reason": string; "dry_run"?: boolean } | { "site_url": string; "reason": string; "dry_run"?: boolean }
    CreateReconcileJob: { "created_after": string; "created_before"?: string; "reason"?: string }
    CreateApiKey: { "name": string; "scopes": (string)[]; "expires_at"?: string }
    AcknowledgeIncident: { "note": string }
    SiteReady: { "event": "site.ready"; "channel": string; "reference": string; "site_url": string; "console_url": string; "name": string; "email": string; "created_at": string }
    OperatorNotification: { "event": "channel.failing" | "delivery.dead" | "connection.failing" | "certificate.expiring" | "rotation.unfinished"; "status": "firing" | "resolved"; "subject": { "kind": "channel" | "source" | "topic" | "installation"; "id": string }; "summary": string; "detail": string; "urgency": 1 | 2 | 3; "next_step": string; "command": string; "page": string | null; "details": { [name: string]: string | number | boolean | null }; "since": string; "notification": string; "created_at": string }
    CreatedChannel: { "id": string; "address": string; "secret_id": string; "other_secret": { "id": string; "state": "staged" | "retiring"; "since": string; "test": { "at": string; "status": number | null; "error": "timeout" | "dns" | "connect" | "tls" | "reset" | "status" | "blocked-address" | "protocol" | null } | null } | null; "standard_webhooks": boolean; "request_header_names": (string)[]; "request_headers_changed_at": string | null; "send_traceparent": boolean; "paused_at": string | null; "max_per_second": number | null; "operator_notifications": boolean; "partner_may_change_address": boolean; "contact": string | null; "created_at": string; "updated_at": string; "signing_secret": string; "standard_webhooks_secret": string }
    Problem: { "type": string; "code": string; "title": string; "status": number; "detail"?: string; "request_id"?: string; "errors"?: ({ "field": string; "message": string })[] }
    ChannelPage: { "data": (components["schemas"]["ListedChannel"])[]; "next_cursor": string | null }
    ListedChannel: { "id": string; "address": string; "secret_id": string; "other_secret": { "id": string; "state": "staged" | "retiring"; "since": string; "test": { "at": string; "status": number | null; "error": "timeout" | "dns" | "connect" | "tls" | "reset" | "status" | "blocked-address" | "protocol" | null } | null } | null; "standard_webhooks": boolean; "request_header_names": (string)[]; "request_headers_changed_at": string | null; "send_traceparent": boolean; "paused_at": string | null; "max_per_second": number | null; "operator_notifications": boolean; "partner_may_change_address": boolean; "contact": string | null; "created_at": string; "updated_at": string; "health": "failing" | "ok"; "dead": components["schemas"]["DeadDeliveries"]; "last_error": "timeout" | "dns" | "connect" | "tls" | "reset" | "status" | "blocked-address" | "protocol" | null; "last_status": number | null }
    DeadDeliveries: { "count": number; "created_after": string }
    Channel: { "id": string; "address": string; "secret_id": string; "other_secret": { "id": string; "state": "staged" | "retiring"; "since": string; "test": { "at": string; "status": number | null; "error": "timeout" | "dns" | "connect" | "tls" | "reset" | "status" | "blocked-address" | "protocol" | null } | null } | null; "standard_webhooks": boolean; "request_header_names": (string)[]; "request_headers_changed_at": string | null; "send_traceparent": boolean; "paused_at": string | null; "max_per_second": number | null; "operator_notifications": boolean; "partner_may_change_address": boolean; "contact": string | null; "created_at": string; "updated_at": string }
    DeletedChannel: { "id": string; "deleted": true; "pending_deliveries": number; "outcome": "none" | "dead"; "keys": ({ "id": string; "revoked": boolean })[] }
    ChannelHealth: { "channel": string; "health": "failing" | "ok"; "paused_at": string | null; "max_per_second": number | null; "dispatchers": (components["schemas"]["DispatcherStatus"])[]; "deferred": ({ "reason": "busy" | "breaker" | "paused" | "fault" | "resend" | "overdue" | "rate" | "notification"; "count": number; "since": string })[]; "scheduled": { "count": number; "next_attempt_at": string | null }; "dead": components["schemas"]["DeadDeliveries"]; "retry_period_ms": number; "counted_before": string; "last_hour": components["schemas"]["AttemptStatistics"]; "last_day": components["schemas"]["AttemptStatistics"]; "last_success": { "delivery": string; "at": string; "status": number | null } | null; "last_failure": { "delivery": string; "at": string; "status": number | null; "error": "timeout" | "dns" | "connect" | "tls" | "reset" | "status" | "blocked-address" | "protocol"; "detail": string | null } | null }
    DispatcherStatus: { "id": string; "breaker": "closed" | "open"; "breaker_opened_at": string | null; "failures": number | null; "concurrency_limit": number | null; "in_flight": number | null; "average_ms": number | null; "updated_at": string }
    AttemptStatistics: { "attempts": number; "succeeded": number; "success_rate": number | null; "latency_p50_ms": number | null; "latency_p99_ms": number | null }
    StagedSecret: { "id": string; "address": string; "secret_id": string; "other_secret": { "id": string; "state": "staged" | "retiring"; "since": string; "test": { "at": string; "status": number | null; "error": "timeout" | "dns" | "connect" | "tls" | "reset" | "status" | "blocked-address" | "protocol" | null } | null } | null; "standard_webhooks": boolean; "request_header_names": (string)[]; "request_headers_changed_at": string | null; "send_traceparent": boolean; "paused_at": string | null; "max_per_second": number | null; "operator_notifications": boolean; "partner_may_change_address": boolean; "contact": string | null; "created_at": string; "updated_at": string; "staged_secret": string; "standard_webhooks_secret": string }
    TestDelivery: { "delivery": string; "attempt": components["schemas"]["Attempt"] }
    Attempt: { "number": number; "started_at": string; "duration_ms": number; "lookup_ms": number | null; "connect_ms": number | null; "tls_ms": number | null; "first_byte_ms": number | null; "status": number | null; "error": "timeout" | "dns" | "connect" | "tls" | "reset" | "status" | "blocked-address" | "protocol" | null; "detail": string | null; "url": string | null; "ip": string | null; "request_headers": { [name: string]: string } | null; "secret_id": string; "response_excerpt": string | null }
    CreatedConnection: { "id": string; "site": string; "source": string; "runner": "pull" | "delegate"; "state": "idle" | "waiting" | "running" | "failing"; "last_synced_at": string | null; "last_outcome": "changed" | "unchanged" | "failed" | null; "last_error": string | null; "last_status": number | null; "last_reason": string | null; "next_step": string | null; "last_success_at": string | null; "failing_since": string | null; "window_ends_at": string | null; "next_sync_at": string | null; "created_at": string; "token_replaced_at": string | null; "signing_secret_replaced_at": string | null; "request_header_names": (string)[]; "request_headers_changed_at": string | null; "trigger_url": string; "signing_secret": string }
    ConnectionPage: { "data": (components["schemas"]["Connection"])[]; "next_cursor": string | null }
    Connection: { "id": string; "site": string; "source": string; "runner": "pull" | "delegate"; "state": "idle" | "waiting" | "running" | "failing"; "last_synced_at": string | null; "last_outcome": "changed" | "unchanged" | "failed" | null; "last_error": string | null; "last_status": number | null; "last_reason": string | null; "next_step": string | null; "last_success_at": string | null; "failing_since": string | null; "window_ends_at": string | null; "next_sync_at": string | null; "created_at": string; "token_replaced_at": string | null; "signing_secret_replaced_at": string | null; "request_header_names": (string)[]; "request_headers_changed_at": string | null }
    ConnectionTriggerUrl: { "id": string; "site": string; "source": string; "runner": "pull" | "delegate"; "state": "idle" | "waiting" | "running" | "failing"; "last_synced_at": string | null; "last_outcome": "changed" | "unchanged" | "failed" | null; "last_error": string | null; "last_status": number | null; "last_reason": string | null; "next_step": string | null; "last_success_at": string | null; "failing_since": string | null; "window_ends_at": string | null; "next_sync_at": string | null; "created_at": string; "token_replaced_at": string | null; "signing_secret_replaced_at": string | null; "request_header_names": (string)[]; "request_headers_changed_at": string | null; "trigger_url": string }
    ConnectionSecret: { "id": string; "site": string; "source": string; "runner": "pull" | "delegate"; "state": "idle" | "waiting" | "running" | "failing"; "last_synced_at": string | null; "last_outcome": "changed" | "unchanged" | "failed" | null; "last_error": string | null; "last_status": number | null; "last_reason": string | null; "next_step": string | null; "last_success_at": string | null; "failing_since": string | null; "window_ends_at": string | null; "next_sync_at": string | null; "created_at": string; "token_replaced_at": string | null; "signing_secret_replaced_at": string | null; "request_header_names": (string)[]; "request_headers_changed_at": string | null; "signing_secret": string }
    RequestedSync: { "connection": string; "earliest_start_at": string }
    SyncPage: { "data": (components["schemas"]["ListedSync"])[]; "next_cursor": string | null }
    ListedSync: { "connection": string; "site": string; "fence": number; "started_at": string; "finished_at": string | null; "outcome": "running" | "changed" | "unchanged" | "failed" | "abandoned"; "error": string | null; "status": number | null; "reason": string | null; "triggers": number; "first_trigger_at": string | null; "last_trigger_at": string | null; "bytes": number | null; "content_sha256": string | null }
    WindowPage: { "data": (components["schemas"]["Window"])[]; "next_cursor": string | null; "pending": components["schemas"]["PendingWindow"] | null }
    Window: { "triggers": { "count": number; "first_at": string | null; "last_at": string | null }; "covered": boolean; "sync": components["schemas"]["Sync"] }
    Sync: { "fence": number; "started_at": string; "finished_at": string | null; "outcome": "running" | "changed" | "unchanged" | "failed" | "abandoned"; "error": string | null; "status": number | null; "reason": string | null; "triggers": number; "first_trigger_at": string | null; "last_trigger_at": string | null; "bytes": number | null; "content_sha256": string | null }
    PendingWindow: { "triggers": { "count": number; "first_at": string | null; "last_at": string | null }; "earliest_start_at": string }
    DeliveryPage: { "data": (components["schemas"]["ListedDelivery"])[]; "next_cursor": string | null }
    ListedDelivery: { "id": string; "event_id": string; "channel": string; "state": "pending" | "delivered" | "dead" | "cancelled" | "erased"; "attempts": number; "last_error": "timeout" | "dns" | "connect" | "tls" | "reset" | "status" | "blocked-address" | "protocol" | null; "last_status": number | null; "waiting_for": "retry" | "busy" | "breaker" | "paused" | "fault" | "resend" | "overdue" | "rate" | "notification" | null; "next_attempt_at": string | null; "deferred_at": string | null; "created_at": string; "finished_at": string | null; "dead_reason": "channel-deleted" | null; "reference": string | null; "site_url": string | null }
    DeliveryWithAttempts: { "id": string; "event_id": string; "channel": string; "state": "pending" | "delivered" | "dead" | "cancelled" | "erased"; "attempts": number; "last_error": "timeout" | "dns" | "connect" | "tls" | "reset" | "status" | "blocked-address" | "protocol" | null; "last_status": number | null; "waiting_for": "retry" | "busy" | "breaker" | "paused" | "fault" | "resend" | "overdue" | "rate" | "notification" | null; "next_attempt_at": string | null; "deferred_at": string | null; "created_at": string; "finished_at": string | null; "dead_reason": "channel-deleted" | null; "body": { [name: string]: unknown } | null; "body_bytes": number; "attempt_log": (components["schemas"]["Attempt"])[]; "attempt_log_cursor": string | null; "last_job": { "id": string; "kind": "resend" | "erasure"; "requested_at": string; "requested_by": string | null } | null }
    AttemptPage: { "data": (components["schemas"]["Attempt"])[]; "next_cursor": string | null }
    DeliveryBody: { "delivery": string; "body": string; "body_sha256": string; "request_headers": { [name: string]: string } | null }
    ResendAccepted: { "delivery": string; "job": string }
    CancelledDelivery: { "delivery": components["schemas"]["Delivery"]; "attempt_in_flight": "none" | "possible"; "may_still_arrive": string }
    Delivery: { "id": string; "event_id": string; "channel": string; "state": "pending" | "delivered" | "dead" | "cancelled" | "erased"; "attempts": number; "last_error": "timeout" | "dns" | "connect" | "tls" | "reset" | "status" | "blocked-address" | "protocol" | null; "last_status": number | null; "waiting_for": "retry" | "busy" | "breaker" | "paused" | "fault" | "resend" | "overdue" | "rate" | "notification" | null; "next_attempt_at": string | null; "deferred_at": string | null; "created_at": string; "finished_at": string | null; "dead_reason": "channel-deleted" | null }
    InvalidEventPage: { "data": (components["schemas"]["InvalidEvent"])[]; "next_cursor": string | null }
    InvalidEvent: { "rejected_at": string; "reason": string; "event_id": string | null; "key": string | null; "correlation": string | null; "channel": string | null; "delivery": string | null; "bytes": number | null; "from": string }
    DryRun: { "dry_run": true; "matching": number; "left_out": number; "complete": boolean }
    Job: { "id": string; "kind": "resend" | "replay" | "erasure" | "reconcile"; "state": "running" | "done" | "cancelled"; "filter": { [name: string]: string }; "per_second": number | null; "reason": string; "requested_by": string; "counts": { [name: string]: number }; "total": number | null; "created_at": string; "finished_at": string | null; "remains": (components["schemas"]["RemainingTopic"])[] | null; "differing": (components["schemas"]["DifferingEvent"])[] | null; "open_transactions": (components["schemas"]["BlockedPartition"])[] | null; "exceptions": (components["schemas"]["ReconciliationException"])[] | null }
    RemainingTopic: { "topic": string; "retention_ends_at": string; "last_deleted_at": string; "note": string }
    DifferingEvent: { "topic": string; "partition": number; "offset": string; "published_at": string; "event_id": string }
    BlockedPartition: { "first_offset": string; "since": string | null; "records": number; "topic": string; "partition": number }
    ReconciliationException: { "kind": "event_lost" | "trigger_not_synced" | "sync_not_scheduled" | "sync_overdue"; "topic": string; "partition": number; "offset": string; "event_id": string | null; "connection": string | null; "published_at": string }
    JobPage: { "data": (components["schemas"]["Job"])[]; "next_cursor": string | null }
    JobWithOutcome: { "id": string; "kind": "resend" | "replay" | "erasure" | "reconcile"; "state": "running" | "done" | "cancelled"; "filter": { [name: string]: string }; "per_second": number | null; "reason": string; "requested_by": string; "counts": { [name: string]: number }; "total": number | null; "created_at": string; "finished_at": string | null; "remains": (components["schemas"]["RemainingTopic"])[] | null; "differing": (components["schemas"]["DifferingEvent"])[] | null; "open_transactions": (components["schemas"]["BlockedPartition"])[] | null; "exceptions": (components["schemas"]["ReconciliationException"])[] | null; "outcome": components["schemas"]["JobOutcome"] | null }
    JobOutcome: { "delivered": number; "pending": number; "dead": number; "cancelled": number; "erased": number }
    CreatedApiKey: { "id": string; "name": string; "scopes": (string)[]; "created_at": string; "expires_at": string | null; "last_used_at": string | null; "revoked_at": string | null; "key": string }
    ApiKeyPage: { "data": (components["schemas"]["ApiKey"])[]; "next_cursor": string | null }
    ApiKey: { "id": string; "name": string; "scopes": (string)[]; "created_at": string; "expires_at": string | null; "last_used_at": string | null; "revoked_at": string | null }
    SignInLink: { "id": string; "url": string; "expires_at": string }
    ConsoleSessionPage: { "data": (components["schemas"]["ConsoleSession"])[]; "next_cursor": string | null }
    ConsoleSession: { "id": string; "owner": { "kind": "key" | "user"; "id": string; "name": string }; "scopes": (string)[]; "created_at": string; "last_used_at": string; "expires_at": string; "current": boolean }
    EndedSessions: { "ended": number }
    Statistics: { "channel": string | null; "counted_before": string; "deferred": { "counted_at": string; "by_reason": { "busy": number; "breaker": number; "paused": number; "fault": number; "resend": number; "overdue": number; "rate": number; "notification": number } } | null; "oldest_overdue": { "delivery": string; "channel": string; "due_at": string } | null; "dead": components["schemas"]["DeadByChannel"] | null; "total": components["schemas"]["StatisticTotal"]; "data": (components["schemas"]["StatisticPoint"])[] }
    DeadByChannel: { "count": number; "created_after": string; "channels": ({ "channel": string; "count": number; "created_after": string })[] }
    StatisticTotal: { "deliveries": number; "attempts": { "delivered": number; "timeout": number; "dns": number; "connect": number; "tls": number; "reset": number; "status": number; "blocked-address": number; "protocol": number }; "latency_ms": { "p50": number; "p99": number } | null; "triggers": { "accepted": number; "covered": number } | null; "syncs": { "running": number; "changed": number; "unchanged": number; "failed": number; "abandoned": number } | null }
    StatisticPoint: { "started_at": string; "deliveries": number; "attempts": { "delivered": number; "timeout": number; "dns": number; "connect": number; "tls": number; "reset": number; "status": number; "blocked-address": number; "protocol": number }; "latency_ms": { "p50": number; "p99": number } | null; "triggers": { "accepted": number; "covered": number } | null; "syncs": { "running": number; "changed": number; "unchanged": number; "failed": number; "abandoned": number } | null }
    TopicList: { "data": (components["schemas"]["Topic"])[] }
    Topic: { "name": string; "purpose": string; "group": string | null; "records": number | null; "lag": number | null; "oldest_unread_at": string | null; "behind": boolean; "partitions": ({ "partition": number; "records": number; "lag": number | null; "oldest_unread_at": string | null; "open_transaction": components["schemas"]["OpenTransaction"] | null })[] }
    OpenTransaction: { "first_offset": string; "since": string | null; "records": number }
    IncidentPage: { "data": (components["schemas"]["Incident"])[]; "next_cursor": string | null; "channels": string | null }
    Incident: { "id": string; "kind": "channel.failing" | "delivery.dead" | "connection.failing" | "certificate.expiring" | "rotation.unfinished" | "channel.paused" | "delivery.overdue" | "event.invalid" | "topic.behind" | "topic.missing" | "sync.overdue" | "dispatcher.missing" | "kafka.unavailable" | "postgres.unavailable"; "state": "open" | "resolved"; "subject": { "kind": "channel" | "source" | "topic" | "installation"; "id": string }; "urgency": 1 | 2 | 3; "summary": string; "detail": string; "next_step": string; "command": string; "page": string | null; "details": { [name: string]: string | number | boolean | null }; "max_count": number | null; "since": string; "created_at": string; "resolved_at": string | null; "acknowledgement": { "at": string; "by": string; "note": string } | null }
    AuditPage: { "data": (components["schemas"]["AuditEntry"])[]; "next_cursor": string | null }
    AuditEntry: { "id": string; "created_at": string; "key": { "id": string; "name": string }; "operation": string; "target": { "kind": "channel" | "connection" | "delivery" | "job" | "key" | "operation" | "incident" | "session" | "sign_in_link"; "id": string }; "changes": { [name: string]: { "old": unknown; "new": unknown } }; "request_id": string; "client_address": string | null }
    ProblemCodes: { "data": (components["schemas"]["ProblemCode"])[] }
    ProblemCode: { "code": string; "status": number; "title": string; "meaning": string; "remedy": string }
  }
}

export interface paths {
  "/v1/channels": {
    post: { parameters: { header?: { "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": components["schemas"]["CreateChannel"] } }; responses: { 201: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["CreatedChannel"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
    get: { parameters: { query?: { "cursor"?: string; "limit"?: number; "q"?: string; "paused"?: "true" | "false"; "health"?: "failing" | "ok" } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["ChannelPage"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/channels/{id}": {
    get: { parameters: { path: { "id": string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Channel"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
    patch: { parameters: { path: { "id": string }; header?: { "If-Match"?: string } }; requestBody: { content: { "application/json": components["schemas"]["ChangeChannel"] } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Channel"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
    delete: { parameters: { path: { "id": string }; query?: { "force"?: "true" | "false" } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["DeletedChannel"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/channels/{id}/health": {
    get: { parameters: { path: { "id": string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["ChannelHealth"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/channels/{id}/change-address": {
    post: { parameters: { path: { "id": string }; header?: { "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": components["schemas"]["ChangeAddress"] } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Channel"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/channels/{id}/pause": {
    post: { parameters: { path: { "id": string }; header?: { "Idempotency-Key"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Channel"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/channels/{id}/resume": {
    post: { parameters: { path: { "id": string }; header?: { "Idempotency-Key"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Channel"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/channels/{id}/secret/stage": {
    post: { parameters: { path: { "id": string }; header?: { "Idempotency-Key"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["StagedSecret"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/channels/{id}/secret/staged": {
    get: { parameters: { path: { "id": string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["StagedSecret"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/channels/{id}/secret/activate": {
    post: { parameters: { path: { "id": string }; query?: { "secret_id"?: string; "force"?: "true" | "false" }; header?: { "Idempotency-Key"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Channel"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/channels/{id}/secret/revert": {
    post: { parameters: { path: { "id": string }; query?: { "secret_id"?: string; "force"?: "true" | "false" }; header?: { "Idempotency-Key"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Channel"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/channels/{id}/secret/retire": {
    post: { parameters: { path: { "id": string }; query?: { "secret_id"?: string }; header?: { "Idempotency-Key"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Channel"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/channels/{id}/test": {
    post: { parameters: { path: { "id": string }; header?: { "Idempotency-Key"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["TestDelivery"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/channels/{id}/secret/test": {
    post: { parameters: { path: { "id": string }; header?: { "Idempotency-Key"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["TestDelivery"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/connections": {
    post: { parameters: { header?: { "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": components["schemas"]["CreateConnection"] } }; responses: { 201: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["CreatedConnection"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
    get: { parameters: { query?: { "cursor"?: string; "limit"?: number; "site"?: string; "state"?: "idle" | "waiting" | "running" | "failing"; "q"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["ConnectionPage"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/connections/{id}": {
    get: { parameters: { path: { "id": string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Connection"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
    patch: { parameters: { path: { "id": string }; header?: { "If-Match"?: string } }; requestBody: { content: { "application/json": components["schemas"]["ChangeConnection"] } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Connection"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
    delete: { parameters: { path: { "id": string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Connection"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/connections/{id}/trigger-url": {
    get: { parameters: { path: { "id": string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["ConnectionTriggerUrl"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/connections/{id}/token": {
    post: { parameters: { path: { "id": string }; header?: { "Idempotency-Key"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["ConnectionTriggerUrl"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/connections/{id}/signing-secret": {
    post: { parameters: { path: { "id": string }; header?: { "Idempotency-Key"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["ConnectionSecret"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/connections/{id}/sync": {
    post: { parameters: { path: { "id": string }; header?: { "Idempotency-Key"?: string } }; responses: { 202: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["RequestedSync"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/syncs": {
    get: { parameters: { query?: { "cursor"?: string; "limit"?: number; "connection"?: string; "site"?: string; "outcome"?: "running" | "changed" | "unchanged" | "failed" | "abandoned"; "started_after"?: string; "started_before"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["SyncPage"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/connections/{id}/windows": {
    get: { parameters: { path: { "id": string }; query?: { "cursor"?: string; "limit"?: number } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["WindowPage"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/connections/{id}/snapshot": {
    get: { parameters: { path: { "id": string }; query?: { "fence"?: string }; header?: { "If-None-Match"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/octet-stream": string; "*/*": unknown } }; 304: { headers: Record<string, unknown>; content: { [type: string]: never } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/connections/{id}/snapshot/previous": {
    get: { parameters: { path: { "id": string }; header?: { "If-None-Match"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/octet-stream": string; "*/*": unknown } }; 304: { headers: Record<string, unknown>; content: { [type: string]: never } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/deliveries": {
    get: { parameters: { query?: { "cursor"?: string; "limit"?: number; "channel"?: string; "state"?: "pending" | "delivered" | "dead" | "cancelled" | "erased"; "event_id"?: string; "reference"?: string; "site_url"?: string; "error"?: "timeout" | "dns" | "connect" | "tls" | "reset" | "status" | "blocked-address" | "protocol"; "waiting_for"?: "retry" | "busy" | "breaker" | "paused" | "fault" | "resend" | "overdue" | "rate" | "notification"; "job"?: string; "created_after"?: string; "created_before"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["DeliveryPage"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/deliveries/{id}": {
    get: { parameters: { path: { "id": string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["DeliveryWithAttempts"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/deliveries/{id}/attempts": {
    get: { parameters: { path: { "id": string }; query?: { "cursor"?: string; "limit"?: number } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["AttemptPage"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/deliveries/{id}/body": {
    get: { parameters: { path: { "id": string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["DeliveryBody"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/deliveries/{id}/resend": {
    post: { parameters: { path: { "id": string }; header?: { "Idempotency-Key"?: string } }; requestBody?: { content: { "application/json": components["schemas"]["ResendDelivery"] } }; responses: { 202: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["ResendAccepted"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/deliveries/{id}/cancel": {
    post: { parameters: { path: { "id": string }; header?: { "Idempotency-Key"?: string } }; requestBody?: { content: { "application/json": components["schemas"]["CancelDelivery"] } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["CancelledDelivery"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/invalid-events": {
    get: { parameters: { query?: { "cursor"?: string; "limit"?: number; "event"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["InvalidEventPage"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/jobs/resend": {
    post: { parameters: { header?: { "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": components["schemas"]["CreateResendJob"] } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["DryRun"] } }; 202: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Job"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/jobs/replay": {
    post: { parameters: { header?: { "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": components["schemas"]["CreateReplayJob"] } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["DryRun"] } }; 202: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Job"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/jobs/erasure": {
    post: { parameters: { header?: { "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": components["schemas"]["CreateErasureJob"] } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["DryRun"] } }; 202: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Job"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/jobs/reconcile": {
    post: { parameters: { header?: { "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": components["schemas"]["CreateReconcileJob"] } }; responses: { 202: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Job"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/jobs": {
    get: { parameters: { query?: { "cursor"?: string; "limit"?: number } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["JobPage"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/jobs/{id}": {
    get: { parameters: { path: { "id": string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["JobWithOutcome"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/jobs/{id}/cancel": {
    post: { parameters: { path: { "id": string }; header?: { "Idempotency-Key"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Job"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/keys": {
    post: { parameters: { header?: { "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": components["schemas"]["CreateApiKey"] } }; responses: { 201: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["CreatedApiKey"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
    get: { parameters: { query?: { "cursor"?: string; "limit"?: number } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["ApiKeyPage"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/keys/current": {
    get: { parameters: {  }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["ApiKey"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/keys/{id}": {
    get: { parameters: { path: { "id": string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["ApiKey"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
    delete: { parameters: { path: { "id": string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["ApiKey"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/sign-in-links": {
    post: { parameters: { header?: { "Idempotency-Key"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["SignInLink"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/sessions": {
    get: { parameters: { query?: { "cursor"?: string; "limit"?: number; "owner"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["ConsoleSessionPage"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
    delete: { parameters: { query?: { "owner"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["EndedSessions"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/sessions/{id}": {
    delete: { parameters: { path: { "id": string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["EndedSessions"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/statistics": {
    get: { parameters: { query?: { "merge"?: number; "channel"?: string; "created_after"?: string; "created_before"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Statistics"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/stream": {
    get: { parameters: { query?: { "event"?: "delivery" | "sync" | "channel" | "job"; "channel"?: string; "connection"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "text/event-stream": unknown } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/topics": {
    get: { parameters: {  }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["TopicList"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/incidents": {
    get: { parameters: { query?: { "cursor"?: string; "limit"?: number; "state"?: "open" | "resolved"; "kind"?: "channel.failing" | "delivery.dead" | "connection.failing" | "certificate.expiring" | "rotation.unfinished" | "channel.paused" | "delivery.overdue" | "event.invalid" | "topic.behind" | "topic.missing" | "sync.overdue" | "dispatcher.missing" | "kafka.unavailable" | "postgres.unavailable"; "subject"?: string; "created_after"?: string; "created_before"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["IncidentPage"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/incidents/{id}/acknowledge": {
    post: { parameters: { path: { "id": string }; header?: { "Idempotency-Key"?: string } }; requestBody: { content: { "application/json": components["schemas"]["AcknowledgeIncident"] } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Incident"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
    delete: { parameters: { path: { "id": string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Incident"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/v1/audit": {
    get: { parameters: { query?: { "cursor"?: string; "limit"?: number; "key"?: string; "operation"?: string; "revealed"?: "true" | "false"; "target_kind"?: "channel" | "connection" | "delivery" | "job" | "key" | "operation" | "incident" | "session" | "sign_in_link"; "target"?: string; "created_after"?: string; "created_before"?: string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["AuditPage"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/problems": {
    get: { parameters: {  }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["ProblemCodes"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/problems/{code}": {
    get: { parameters: { path: { "code": string } }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["ProblemCode"] } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/openapi.json": {
    get: { parameters: {  }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": { "openapi": string } } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
  "/": {
    get: { parameters: {  }; responses: { 200: { headers: Record<string, unknown>; content: { "application/json": { "name": string; "api": string; "openapi": string } } }; default: { headers: Record<string, unknown>; content: { "application/problem+json": components["schemas"]["Problem"] } } } }
  }
}
