import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { jetstreamManager } from '@nats-io/jetstream';
import type { JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { inject, onTestFinished, vi } from 'vitest';
import { randomBase62 } from '../ids.ts';
import type { EventDefinition } from '../nats/events.ts';
import { connectNats } from '../nats/nats.ts';
import type { Nats } from '../nats/nats.ts';
import { defineStream } from '../nats/streams.ts';
import type { StreamDefinition } from '../nats/streams.ts';
import { Secret } from '../secret.ts';
import type { Logger } from '../telemetry/logger.ts';
import { captureLog } from './log-lines.ts';

/** An event whose message is a text. */
export type TextEvent = EventDefinition<typeof StringValueSchema>;

/** An event with a subject that no other test uses. */
export function newEvent(): TextEvent {
  return { schema: StringValueSchema, subject: `fairlead.test.${randomBase62(12)}.happened.v1` };
}

/** A small stream of its own for an event of `newEvent`. */
export function streamOf(event: TextEvent, members: Partial<StreamDefinition> = {}): StreamDefinition {
  return defineStream({
    name: `TEST_${event.subject.split('.')[2] ?? ''}`,
    description: 'A stream of a test',
    events: [event],
    retention: 'limits',
    discard: 'old',
    maxAgeMs: 60_000,
    maxBytes: 1_000_000,
    duplicateWindowMs: 60_000,
    ...members,
  });
}

/** A connection to the run's nats-server, or to `url`, until the test ends. */
export async function openTestNats(
  o: { url?: string; log?: Logger; streams?: StreamDefinition[] } = {},
): Promise<Nats> {
  const nats = await connectNats({
    url: new Secret(o.url ?? inject('natsUrl')),
    name: 'test',
    log: o.log ?? captureLog().log,
    ...(o.streams && { streams: o.streams }),
  });
  onTestFinished(() => nats.close());
  // A service boots without NATS after a second.
  if (o.url === undefined) await vi.waitUntil(() => nats.isLive(), { timeout: 90_000 });
  return nats;
}

/** The client library's own manager, which shows the server's state from outside. */
export async function streamManager(url = inject('natsUrl')): Promise<JetStreamManager> {
  const connection = await connect({ servers: url.replace('nats://', '') });
  onTestFinished(() => connection.close());
  return jetstreamManager(connection);
}
