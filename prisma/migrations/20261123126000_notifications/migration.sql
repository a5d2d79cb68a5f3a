-- A notification is sent as a delivery to a channel of an operator. It waits for its first attempt as a deferred one.
ALTER TYPE "deferral_reason" ADD VALUE 'notification';

ALTER TABLE "channel"
  ADD COLUMN "operator_notifications" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "other_secret_since" TIMESTAMPTZ(3);
UPDATE "channel" SET "other_secret_since" = now() WHERE "other_secret_id" IS NOT NULL;

CREATE TABLE "notification" (
  "id" TEXT NOT NULL,
  "event" TEXT NOT NULL,
  "subject_id" TEXT NOT NULL,
  "details" JSONB NOT NULL,
  "since" TIMESTAMPTZ(3) NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "resolved_at" TIMESTAMPTZ(3),
  CONSTRAINT "notification_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "notification_created_at_id_idx" ON "notification"("created_at", "id");
CREATE UNIQUE INDEX "notification_firing_idx" ON "notification"("event", "subject_id") WHERE "resolved_at" IS NULL;

CREATE TABLE "receiver_certificate" (
  "origin" TEXT NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "seen_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "receiver_certificate_pkey" PRIMARY KEY ("origin")
);

CREATE TABLE "died_delivery" (
  "delivery_id" UUID NOT NULL,
  "channel_id" TEXT NOT NULL,
  "died_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "died_delivery_pkey" PRIMARY KEY ("delivery_id", "died_at")
);
CREATE INDEX "died_delivery_died_at_idx" ON "died_delivery"("died_at");

-- A trigger, because several statements make deliveries dead. Its condition is evaluated without calling the function.
CREATE FUNCTION record_died_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "died_delivery" VALUES (NEW.id, NEW.channel_id, now()) ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER delivery_died AFTER UPDATE ON "delivery" FOR EACH ROW
  WHEN (NEW.state = 'dead' AND OLD.state <> 'dead')
  EXECUTE FUNCTION record_died_delivery();
