-- The whole schema. Until 0.1.0 is tagged, change this file in place (`npm run reset` deletes a local database that has
-- its earlier text). From then on it is frozen, and each change is a migration of its own.
--
-- schema.prisma describes the tables and columns. This file explains what it cannot contain: triggers, storage
-- parameters, and the purpose of indexes.

-- API keys, sessions and the audit log

create table api_key (
  id text primary key,
  name text not null,
  key_sha256 bytea not null,
  created_at timestamptz(3) not null default current_timestamp,
  revoked_at timestamptz(3),
  scopes text[],
  expires_at timestamptz(3),
  last_used_at timestamptz(3)
);
create unique index api_key_key_sha256_key on api_key (key_sha256);

create table session (
  id text primary key,
  token_sha256 bytea not null,
  key_id text references api_key on delete cascade on update cascade,
  user_id text,
  name text,
  scopes text[],
  created_at timestamptz(3) not null default current_timestamp,
  last_used_at timestamptz(3) not null default current_timestamp,
  idle_seconds integer not null,
  expires_at timestamptz(3) not null,
  -- Either a key or a user: a session without a key would not end with it.
  constraint session_key_or_user check ((key_id is null) = (user_id is not null))
);
create unique index session_token_sha256_key on session (token_sha256);
create index session_key_id_idx on session (key_id);
create index session_user_id_idx on session (user_id);
create index session_created_at_idx on session (created_at);

create table sign_in_link (
  id text primary key,
  token_sha256 bytea not null,
  key_id text not null references api_key on delete cascade on update cascade,
  created_at timestamptz(3) not null default current_timestamp,
  expires_at timestamptz(3) not null
);
create unique index sign_in_link_token_sha256_key on sign_in_link (token_sha256);
create index sign_in_link_key_id_idx on sign_in_link (key_id);
create index sign_in_link_created_at_idx on sign_in_link (created_at);

create table audit_entry (
  id text primary key,
  created_at timestamptz(3) not null default current_timestamp,
  key_id text not null,
  key_name text not null,
  operation text not null,
  target_kind text not null,
  target_id text not null,
  changes jsonb not null,
  request_id text not null,
  client_address text
);
create index audit_entry_created_at_id_idx on audit_entry (created_at, id);
create index audit_entry_target_kind_target_id_created_at_idx on audit_entry (target_kind, target_id, created_at);
create index audit_entry_key_id_created_at_idx on audit_entry (key_id, created_at);

-- The console's role may not delete entries: with its account, too, nobody can remove what is younger than 90 days.
create function delete_audit_entries(before timestamptz, at_most integer) returns integer
language sql security definer set search_path = public, pg_temp as $$
  with deleted as (
    delete from audit_entry where id in (
      select id from audit_entry where created_at < least(before, now() - interval '90 days')
       order by created_at limit at_most)
    returning 1)
  select count(*)::integer from deleted
$$;
revoke execute on function delete_audit_entries from public;

create table idempotency_record (
  key_id text,
  idempotency_key text,
  request_digest bytea not null,
  status integer,
  response text,
  created_at timestamptz(3) not null default current_timestamp,
  primary key (key_id, idempotency_key)
);
create index idempotency_record_created_at_idx on idempotency_record (created_at);

-- Channels

create type other_secret_state as enum ('staged', 'retiring');
create table channel (
  id text primary key,
  address text not null,
  secret_id text not null,
  secret_sealed bytea not null,
  other_secret_id text,
  other_secret_sealed bytea,
  other_secret_state other_secret_state,
  standard_webhooks boolean not null default true,
  paused_at timestamptz(3),
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null,
  resumed_at timestamptz(3),
  max_per_second integer,
  other_secret_test jsonb,
  operator_notifications boolean not null default false,
  other_secret_since timestamptz(3),
  send_traceparent boolean not null default false,
  request_headers_sealed bytea,
  request_header_names text[] default array[]::text[],
  request_headers_changed_at timestamptz(3),
  partner_may_change_address boolean not null default false
);

create table channel_contact (
  channel_id text primary key references channel on delete cascade on update cascade,
  address text not null,
  digest text not null,
  told_failing_at timestamptz(3),
  told_dead_at timestamptz(3)
);
create index channel_contact_digest_idx on channel_contact (digest);
create index channel_contact_told_idx on channel_contact (channel_id) where told_failing_at is not null;

create table mail_recipient (
  id text primary key,
  next_at timestamptz(3) not null default current_timestamp,
  attempts integer not null default 0
);
create index mail_recipient_next_at_idx on mail_recipient (next_at);

create table channel_rate (
  channel_id text primary key,
  per_second integer not null,
  granted integer not null,
  start_at timestamptz(6) not null,
  next_at timestamptz(6) not null
);

create table unreachable_channel (
  channel_id text primary key,
  counted_ms double precision not null,
  seen_at timestamptz(3) not null
);

create table deleted_channel (
  id text primary key,
  deleted_at timestamptz(3) not null default current_timestamp
);

create table dispatcher (
  id text primary key,
  started_at timestamptz(3) not null default current_timestamp,
  seen_at timestamptz(3) not null default current_timestamp
);

create table channel_status (
  channel_id text,
  dispatcher_id text references dispatcher on delete cascade on update cascade,
  breaker_opened_at timestamptz(3),
  failures integer not null,
  concurrency_limit integer not null,
  in_flight integer not null,
  average_ms integer not null,
  primary key (channel_id, dispatcher_id)
);
create index channel_status_dispatcher_id_idx on channel_status (dispatcher_id);

create table channel_failure (
  channel_id text primary key,
  since timestamptz(3) not null,
  failures integer not null,
  last_failed_at timestamptz(3) not null,
  last_error text not null,
  last_status integer,
  last_detail text,
  ended_at timestamptz(3)
);

create type receiver_check_kind as enum ('test', 'secret_test', 'address_change');
create type receiver_check_state as enum ('waiting', 'running', 'done', 'failed');
create table receiver_check (
  id text primary key,
  channel_id text references channel on delete cascade on update cascade,
  kind receiver_check_kind not null,
  address text not null,
  state receiver_check_state not null default 'waiting',
  claims integer not null default 0,
  lease_expires_at timestamptz(3),
  report jsonb,
  error text,
  requested_by text not null,
  created_at timestamptz(3) not null default current_timestamp,
  finished_at timestamptz(3)
);
create index receiver_check_channel_id_kind_created_at_id_idx on receiver_check (channel_id, kind, created_at, id);
create index receiver_check_created_at_idx on receiver_check (created_at);
-- For the claim, which every dispatcher runs about once a second. Usually empty.
create index receiver_check_unfinished_idx on receiver_check (created_at) where finished_at is null;

create table receiver_certificate (
  origin text primary key,
  expires_at timestamptz(3) not null,
  seen_at timestamptz(3) not null
);

-- Deliveries

create type delivery_state as enum ('pending', 'delivered', 'dead', 'cancelled', 'erased');
create type deferral_reason as enum (
  'busy', 'breaker', 'paused', 'fault', 'resend', 'overdue', 'rate', 'notification'
);
create type dead_reason as enum ('channel_deleted');
-- Deliveries and their attempts are stored by day, so that retention drops days instead of deleting rows. The day is that of
-- the time in the delivery's id. "Days" below has the functions that add and drop them.
create table delivery (
  id uuid primary key,
  event_id text not null,
  channel_id text not null,
  body bytea not null,
  body_sha256 bytea not null,
  state delivery_state not null default 'pending',
  attempts integer not null default 0,
  correlation text not null,
  created_at timestamptz(3) not null default current_timestamp,
  stored_at timestamptz(3) not null default current_timestamp,
  finished_at timestamptz(3),
  last_error text,
  last_status integer,
  -- The states are written out, because Postgres does not accept a cast from an enum to text here.
  state_error text generated always as (
    case when last_error is not null or state <> 'delivered' then
      case state when 'pending' then 'pending:' when 'delivered' then 'delivered:' when 'dead' then 'dead:'
                 when 'cancelled' then 'cancelled:' when 'erased' then 'erased:' end || coalesce(last_error, '')
    end
  ) stored,
  reference_key bytea,
  site_key bytea,
  email_digest bytea,
  dead_reason dead_reason,
  traceparent text,
  last_job text
) partition by range (id);
create index delivery_channel_id_id_idx on delivery (channel_id, id);
create index delivery_reference_idx on delivery (reference_key, id);
create index delivery_site_idx on delivery (site_key, id);
create index delivery_state_error_idx on delivery (state_error, id) where state_error is not null;
create index delivery_channel_state_error_idx on delivery (channel_id, state_error, id) where state_error is not null;
-- For erasures, which are rare: a filter for each 128 pages (of about 1,000 deliveries) says which digests they may have, so an
-- insert writes nothing to this index.
create index delivery_email_digest_idx on delivery
  using brin (email_digest bytea_bloom_ops) with (autosummarize = on);
-- For erasures: the deliveries whose bodies have to be read.
create index delivery_without_email_digest_idx on delivery (id) where email_digest is null and state <> 'erased';
-- What became of the deliveries of a job. Most deliveries have none, and then no entry.
create index delivery_last_job_idx on delivery (last_job, state, id) where last_job is not null;
-- Deliveries are appended in the order of stored_at, so this index needs one entry per 32 pages.
create index delivery_stored_at_idx on delivery using brin (stored_at) with (pages_per_range = 32, autosummarize = on);

-- The key of the digests of e-mail addresses, sealed: without it, a guess of an address cannot be confirmed.
create table digest_key (
  id text primary key,
  key_sealed bytea not null
);

-- Which delivery an event has, so that one event makes one delivery. A table of its own, because a unique index of deliveries
-- would only be unique within a day.
create table known_event (
  event_id text primary key,
  delivery_id uuid not null
);

create table waiting_delivery (
  delivery_id uuid primary key,
  channel_id text not null,
  attempts integer not null,
  next_attempt_at timestamptz(3),
  deferred_at timestamptz(3),
  deferred_reason deferral_reason,
  lease_expires_at timestamptz(3),
  failures integer,
  period_started_at timestamptz(3),
  unreachable_ms double precision,
  constraint scheduled_or_deferred check ((next_attempt_at is null) <> (deferred_at is null))
)
-- Claims and releases change no column of an index. Half of each page is kept free for the new versions of their rows, so
-- that no index gets an entry for them. Rows come and go, so vacuum follows soon.
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index waiting_delivery_channel_id_delivery_id_idx on waiting_delivery (channel_id, delivery_id);
-- For the claim: the deferred deliveries of a channel, in the order in which they were deferred.
create index waiting_delivery_deferred_idx on waiting_delivery (channel_id, deferred_at, delivery_id)
  where deferred_at is not null;
-- For the poll: the scheduled deliveries, the longest overdue first.
create index waiting_delivery_scheduled_idx on waiting_delivery (next_attempt_at) where next_attempt_at is not null;

create table ended_delivery (
  delivery_id uuid,
  -- Not when the transaction began: the ends of a delivery stay in the order in which its row was locked.
  ended_at timestamptz(6) default clock_timestamp(),
  event_id text not null,
  channel_id text not null,
  state delivery_state not null,
  attempts integer not null,
  since timestamptz(3),
  error text,
  status integer,
  correlation text not null,
  traceparent text,
  lease_expires_at timestamptz(3),
  primary key (delivery_id, ended_at),
  constraint dead_since_with_error check (state <> 'dead' or since is not null and error is not null)
)
-- With PUBLISH_OUTCOMES, rows come and go as fast as deliveries.
with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index ended_delivery_unpublished_idx on ended_delivery (lease_expires_at, ended_at);

create table attempt (
  delivery_id uuid,
  number integer,
  started_at timestamptz(3),
  duration_ms double precision not null,
  lookup_ms double precision,
  connect_ms double precision,
  tls_ms double precision,
  first_byte_ms double precision,
  ip text,
  status integer,
  error text,
  secret_id text not null,
  response_excerpt bytea,
  detail text,
  url text,
  request_headers text,
  primary key (delivery_id, number, started_at)
) partition by range (delivery_id);
-- Attempts are appended in the order of their time, so this index needs one entry per 32 pages. Without autosummarize,
-- new pages would have no entry before the next vacuum, and every search would read them.
create index attempt_started_at_idx on attempt using brin (started_at) with (pages_per_range = 32, autosummarize = on);

-- What has the id of a day without partitions.
create table delivery_other partition of delivery default;
create table attempt_other partition of attempt default;

-- Jobs and incidents

create type job_kind as enum ('resend', 'replay', 'erasure', 'reconcile');
create type job_state as enum ('running', 'done', 'cancelled');
create table job (
  id text primary key,
  kind job_kind not null,
  state job_state not null default 'running',
  filter jsonb not null,
  reason text not null,
  requested_by text not null,
  delivery_id uuid,
  position text,
  counts jsonb not null default '{}',
  created_at timestamptz(3) not null default current_timestamp,
  finished_at timestamptz(3)
);
create index job_state_idx on job (state);
create index job_created_at_id_idx on job (created_at, id);
-- The stream of changes reads the jobs that have just ended.
create index job_finished_at_idx on job (finished_at);
-- A dispatcher reads the erasures of the last days, and each resend adds a job.
create index job_erasure_idx on job (created_at) where kind = 'erasure';
-- For the limit of resends of a delivery.
create index job_delivery_idx on job (delivery_id, created_at) where delivery_id is not null;

-- The version of the list of erasures that are not cancelled. It is random, so that a restored database does not repeat one.
create table erasure_list (
  version uuid primary key default gen_random_uuid()
);
insert into erasure_list default values;

create function change_erasure_list() returns trigger language plpgsql as $$
begin
  update erasure_list set version = gen_random_uuid();
  return null;
end
$$;
create trigger erasure_requested after insert on job for each row when (new.kind = 'erasure')
  execute function change_erasure_list();
create trigger erasure_cancelled after update of state on job for each row when (new.kind = 'erasure' and new.state = 'cancelled')
  execute function change_erasure_list();

-- For the statement that stores events, which stores none if this is not the version against which they were checked. An erasure
-- misses no event that is stored meanwhile: each query in this function has a snapshot of its own, so whoever gets the lock after
-- the erasure's commit reads the new version, and for whoever has it before, the erasure waits. Nobody waits for the lock.
create function erasure_version_for_storing() returns uuid language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(1936291941, 2);
  return (select version from erasure_list);
end
$$;

-- Waits for the transactions that have this lock now. An exclusive lock would also wait for them, but those that store next would
-- wait behind it.
create function wait_for_storing() returns void language plpgsql as $$
declare
  storing text[] := array(
    select virtualtransaction from pg_locks
     where locktype = 'advisory' and classid = 1936291941 and objid = 2
       and database = (select oid from pg_database where datname = current_database()));
begin
  while exists (select from pg_locks where virtualtransaction = any (storing)) loop
    perform pg_sleep(0.01);
  end loop;
end
$$;

-- What a running replay has published.
create table replayed_event (
  job_id text references job on delete cascade on update cascade,
  digest bytea,
  primary key (job_id, digest)
);

create table incident (
  id text primary key,
  kind text not null,
  subject_id text not null,
  details jsonb not null,
  max_count integer,
  since timestamptz(3) not null,
  created_at timestamptz(3) not null default current_timestamp,
  seen_at timestamptz(3) not null default current_timestamp,
  resolved_at timestamptz(3),
  closed_at timestamptz(3),
  acknowledged_at timestamptz(3),
  acknowledged_by text,
  note text,
  mailed text
);
create index incident_created_at_id_idx on incident (created_at, id);
create index incident_subject_id_created_at_id_idx on incident (subject_id, created_at, id);
create index incident_resolved_at_idx on incident (resolved_at);
create unique index incident_open_idx on incident (kind, subject_id) where closed_at is null;

-- Connections and syncs

create type sync_runner as enum ('pull', 'delegate');
create table connection (
  id text primary key,
  site text not null,
  source text not null,
  runner sync_runner not null default 'pull',
  token_sha256 bytea not null,
  token_sealed bytea not null,
  token_replaced_at timestamptz(3),
  signing_secret_sealed bytea not null,
  signing_secret_replaced_at timestamptz(3),
  request_headers_sealed bytea,
  request_header_names text[] default array[]::text[],
  request_headers_changed_at timestamptz(3),
  created_at timestamptz(3) not null default current_timestamp,
  -- Host and port, without the user information that may stand before them.
  source_host text generated always as (
    lower(coalesce(substring(source from '^[^:]+://(?:[^/?#]*@)?([^/?#]*)'), ''))
  ) stored,
  source_version integer not null default 1
);
create index connection_created_at_id_idx on connection (created_at, id);
create index connection_site_created_at_id_idx on connection (site, created_at, id);

create type sync_outcome as enum ('running', 'changed', 'unchanged', 'failed', 'abandoned');
-- The columns are in this order, from those that change rarely to those that each trigger changes: if the new version of a row
-- is stored on the same page, the log contains only what is between the first and the last byte that differ. So half of
-- each page is kept free. Each sync replaces its row a few times, and vacuum follows soon.
create table sync_window (
  connection_id text primary key,
  source_version integer not null default 1,
  failures integer not null default 0,
  slow boolean not null default false,
  last_status smallint,
  last_outcome sync_outcome,
  last_error text,
  failing_since timestamptz(3),
  waiting_for_host text,
  last_success_at timestamptz(3),
  last_synced_at timestamptz(3),
  covered bigint not null default 0,
  run_correlation text,
  run_traceparents text,
  running boolean not null default false,
  run_triggers integer,
  run_started_at timestamptz(3),
  run_first_trigger_at timestamptz(3),
  run_last_trigger_at timestamptz(3),
  claimed bigint not null default 0,
  fence bigint not null default 0,
  grant_id uuid,
  window_ends_at timestamptz(3),
  due_at timestamptz(3),
  requested bigint not null default 0,
  first_trigger_at timestamptz(3),
  last_trigger_at timestamptz(3),
  correlation text,
  traceparents text
)
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- A claim reads the first index; a window that is due while its host has no capacity moves to the second, so that the
-- windows of a full host are not read again. Both are small, because most windows are idle.
create index sync_window_due_idx on sync_window (due_at) where due_at is not null and waiting_for_host is null;
create index sync_window_waiting_idx on sync_window (slow, waiting_for_host, due_at) where waiting_for_host is not null;
create index sync_window_failing_idx on sync_window (connection_id) where failing_since is not null;
-- For lists of the newest syncs, and for the stream of changes.
-- For lists of syncs. With a condition that no other statement has: planned while no sync runs, a statement that looks up connections
-- would read this index instead, once for each of them.
create index sync_window_running_idx on sync_window (run_started_at) where running and run_started_at is not null;

-- A sync is stored here when it has ended. Until then, its connection's row of sync_window describes it.
create table sync_run (
  connection_id text,
  fence bigint,
  started_at timestamptz(3),
  finished_at timestamptz(3) not null default current_timestamp,
  outcome sync_outcome not null check (outcome <> 'running'),
  status smallint,
  error text,
  triggers integer not null,
  first_trigger_at timestamptz(3),
  last_trigger_at timestamptz(3),
  correlation text,
  bytes bigint,
  content_sha256 bytea,
  traceparents text,
  primary key (connection_id, fence, started_at)
) partition by range (started_at);
-- A list of all syncs, newest first, needs their order, which a BRIN index does not have. The index has one column: an
-- entry of 16 bytes is appended for each sync, or less, because syncs that are claimed together have the same time.
create index sync_run_started_at_idx on sync_run (started_at);
create table sync_run_other partition of sync_run default;

create table snapshot (
  connection_id text primary key,
  fence bigint not null,
  content_sha256 bytea not null,
  content_type text,
  etag text,
  bytes bigint not null,
  stored_at timestamptz(3) not null default current_timestamp
);

create table previous_snapshot (
  connection_id text,
  fence bigint,
  content_sha256 bytea not null,
  content_type text,
  bytes bigint not null,
  stored_at timestamptz(3) not null,
  replaced_at timestamptz(3) not null default current_timestamp,
  primary key (connection_id, fence)
);
create index previous_snapshot_replaced_at_idx on previous_snapshot (replaced_at);

create table snapshot_chunk (
  connection_id text,
  fence bigint,
  position integer,
  data bytea not null,
  primary key (connection_id, fence, position)
);

-- A row is deleted when its record of connection.changed is published, so the table is small. Claims update no column of
-- the index, and neither does a newer content.
create table unpublished_change (
  connection_id text primary key,
  fence bigint,
  since timestamptz(3) not null default current_timestamp,
  claim_id uuid,
  lease_expires_at timestamptz(3)
)
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index unpublished_change_since_idx on unpublished_change (since);
create index unpublished_change_lease_idx on unpublished_change (lease_expires_at, since);

-- Instead of foreign keys, which would lock the connection's row for every run and every chunk. The window goes first: a
-- claim holds its lock until the run is inserted.
create function delete_syncs_of_connection() returns trigger language plpgsql as $$
begin
  -- Statistics compare this sum with that of all windows.
  with deleted as (delete from sync_window where connection_id = old.id returning requested)
  update statistics_position set recorded_triggers = recorded_triggers - requested from deleted;
  delete from sync_run where connection_id = old.id;
  insert into unpublished_change (connection_id) select connection_id from snapshot where connection_id = old.id
    -- A new claim: fences begin again with the next connection of this id, so a claim that goes on must not find its own fence.
    on conflict (connection_id) do update
      set fence = null, claim_id = case when unpublished_change.claim_id is not null then gen_random_uuid() end;
  delete from snapshot where connection_id = old.id;
  delete from previous_snapshot where connection_id = old.id;
  delete from snapshot_chunk where connection_id = old.id;
  return null;
end
$$;
create trigger connection_deleted after delete on connection
  for each row execute function delete_syncs_of_connection();

-- A statement that records triggers may insert a window while its connection is being deleted. Windows are inserted
-- rarely, so this costs triggers and syncs nothing.
create function delete_window_without_connection() returns trigger language plpgsql as $$
begin
  perform from connection where id = new.connection_id for key share;
  if not found then
    delete from sync_window where connection_id = new.connection_id;
  end if;
  return null;
end
$$;
create trigger window_inserted after insert on sync_window
  for each row execute function delete_window_without_connection();

-- Days

-- Deliveries, attempts and syncs are stored by day. These functions run as the owner of the tables, because only that may add and drop
-- partitions.

create function first_id_of_day(day date) returns uuid language sql immutable as $$
  select (lpad(to_hex((extract(epoch from day::timestamp at time zone 'UTC') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Adds a partition to each of these tables, which are partitioned by these columns, or to none: if rows of the day are stored in a
-- default partition, it returns false.
create function add_day(parents text[], keys text[], day date, lower_bound text, upper_bound text) returns boolean
language plpgsql set search_path = public, pg_temp as $$
declare
  parent text;
  child text;
  is_stored boolean;
begin
  for i in 1 .. cardinality(parents) loop
    child := parents[i] || '_' || to_char(day, 'YYYYMMDD');
    -- By the index. To attach a partition, Postgres reads the whole default partition, and nobody can use that meanwhile.
    execute format('select exists (select from %I where %I >= %L and %I < %L)',
      parents[i] || '_other', keys[i], lower_bound, keys[i], upper_bound) into is_stored;
    if is_stored or to_regclass(child) is not null then
      return false;
    end if;
  end loop;
  foreach parent in array parents loop
    child := parent || '_' || to_char(day, 'YYYYMMDD');
    -- Attached afterwards, because a table that is created as a partition locks all readers and writers out.
    execute format('create table %I (like %I including all)', child, parent);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, child, lower_bound, upper_bound);
  end loop;
  return true;
exception when check_violation then
  return false;
end
$$;

-- Makes the partitions of these days that do not exist yet. Returns how many it made, counting those of deliveries and attempts
-- as one; none if another process makes them now.
create function make_days(first date, last date) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  day date;
  made integer := 0;
begin
  if last > first + 60 then
    raise 'too many days: % to %', first, last;
  end if;
  if not pg_try_advisory_xact_lock(1936291941, 1) then
    return 0;
  end if;
  perform set_config('lock_timeout', '1s', true);
  for day in select generate_series(first, last, interval '1 day')::date loop
    made := made
      + add_day(array['delivery', 'attempt'], array['id', 'delivery_id'], day,
          first_id_of_day(day)::text, first_id_of_day(day + 1)::text)::integer
      + add_day(array['sync_run'], array['started_at'], day, day || ' 00:00Z', (day + 1) || ' 00:00Z')::integer;
  end loop;
  return made;
end
$$;

-- The days for which this table has partitions and which ended before this time, the oldest first.
create function days_before(parent text, before timestamptz) returns setof date
language sql stable set search_path = public, pg_temp as $$
  select day from pg_inherits join pg_class on pg_class.oid = inhrelid
    cross join lateral (select case when relname ~ '_[0-9]{8}$' then to_date(right(relname, 8), 'YYYYMMDD') end as day) as named
   where inhparent = parent::regclass and (day + 1)::timestamp at time zone 'UTC' <= before
   order by day
$$;

create function drop_day(parents text[], day date) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  parent text;
begin
  foreach parent in array parents loop
    execute format('alter table %I detach partition %I', parent, parent || '_' || to_char(day, 'YYYYMMDD'));
    execute format('drop table %I', parent || '_' || to_char(day, 'YYYYMMDD'));
  end loop;
end
$$;

-- The next two functions wait at most 100 ms for running statements, because new ones wait behind them: call them again if they fail
-- with lock_not_available.

-- Returns false if the day does not exist, a delivery of it waits, or one was stored after this time.
create function drop_delivery_day(day date, stored_after timestamptz) returns boolean
language plpgsql security definer set search_path = public, pg_temp set enable_indexscan = off as $$
declare
  stored text := 'delivery_' || to_char(day, 'YYYYMMDD');
  is_used boolean;
begin
  if to_regclass(stored) is null then
    return false;
  end if;
  perform set_config('lock_timeout', '100ms', true);
  for attempt in 1 .. 2 loop
    -- Of the day's table alone, and by the small index of stored_at, which shows at once that no row is so new. By another index,
    -- Postgres would read the whole day.
    execute format(
      'select exists (select from waiting_delivery where delivery_id >= $1 and delivery_id < $2)
           or exists (select from %I where stored_at > $3)', stored)
      into is_used using first_id_of_day(day), first_id_of_day(day + 1), stored_after;
    if is_used then
      return false;
    end if;
    -- Asked again under the lock: a resend locks its delivery before it inserts what that waits for.
    execute format('lock table %I in access exclusive mode', stored);
  end loop;
  perform drop_day(array['delivery', 'attempt'], day);
  return true;
end
$$;

-- Drops the oldest day that ended before this time and returns it; null if there is none.
create function drop_sync_day(before timestamptz) returns date
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  oldest date;
begin
  perform set_config('lock_timeout', '100ms', true);
  select * from days_before('sync_run', before) limit 1 into oldest;
  if oldest is not null then
    perform drop_day(array['sync_run'], oldest);
  end if;
  return oldest;
end
$$;

revoke execute on function add_day, make_days, drop_day, drop_delivery_day, drop_sync_day from public;

-- Dispatchers and schedulers make the days that follow.
select make_days((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + 1);

-- Statistics

create table statistic (
  channel_id text,
  started_at timestamptz(3),
  deliveries integer not null,
  attempts jsonb not null,
  latency jsonb not null,
  deferred jsonb not null,
  accepted_triggers integer,
  covered_triggers integer,
  syncs jsonb,
  counted_at timestamptz(3) not null default current_timestamp,
  last_success uuid,
  last_failure uuid,
  primary key (channel_id, started_at)
);
create index statistic_started_at_idx on statistic (started_at);

create table statistics_position (
  id integer primary key default 1,
  counted_through timestamptz(3) not null,
  recorded_triggers bigint not null default 0
);
insert into statistics_position (counted_through) values (date_trunc('minute', now()));
