ALTER TABLE "channel" ADD COLUMN "send_traceparent" BOOLEAN NOT NULL DEFAULT false;
