import {
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  jetstreamManager,
} from '@nats-io/jetstream';
import type { JetStreamManager, StreamConfig, StreamInfo } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import type { EventDefinition } from './events.ts';

/** A JetStream stream as its owner declares it, stored in files. */
export interface StreamDefinition {
  /** Name in capitals; one owner per installation. */
  readonly name: string;
  readonly description: string;
  /** The events that the stream stores. */
  readonly events: readonly EventDefinition[];
  /** Whether the subjects have an address at the end (addressed-log.ts). */
  readonly isAddressed?: boolean;
  /**
   * `limits`: messages are kept up to a maximum age and size. `work-queue`: messages are kept until they are
   * acknowledged; such a stream has one consumer per event.
   */
  readonly retention: 'limits' | 'work-queue';
  /** The behaviour of a full stream: `old` removes its oldest messages, `new` rejects publications. */
  readonly discard: 'old' | 'new';
  /** Maximum age of a message; undefined: none. */
  readonly maxAgeMs: number | undefined;
  /** Maximum bytes. */
  readonly maxBytes: number;
  /** Time for which message ids are remembered, so that a message published twice is stored once. */
  readonly duplicateWindowMs: number;
}

/** Declares a stream. Undeclared settings (replicas, placement) stay as the operator set them. */
export function defineStream(definition: StreamDefinition): StreamDefinition {
  return definition;
}

/** An existing stream of that name cannot be changed to its declaration. The message states the difference and the remedy. */
export class StreamDeclarationError extends Error {
  override readonly name = 'StreamDeclarationError';
}

const NAME_IN_USE = 10_058;
const UNAVAILABLE = 503;

/**
 * Creates the stream as declared, or updates it if it differs. Any number of replicas may do so at once. Rejects with
 * a StreamDeclarationError if NATS refuses, and with another error if it could not be reached.
 */
export async function ensureStream(connection: NatsConnection, definition: StreamDefinition): Promise<void> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const target = declaredConfig(definition);
  try {
    await createOrUpdate(manager, target);
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.status === UNAVAILABLE) throw error;
    throw refusal(definition.name, error.message, error);
  }
}

/** Whether the stream exists. Rejects if NATS does not answer. */
export async function streamExists(connection: NatsConnection, { name }: StreamDefinition): Promise<boolean> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  return (await find(manager, name)) !== undefined;
}

type DeclaredConfig = ReturnType<typeof declaredConfig>;

function declaredConfig(d: StreamDefinition) {
  return {
    name: d.name,
    description: d.description,
    subjects: d.events.map(({ subject }) => (d.isAddressed === true ? `${subject}.*` : subject)),
    retention: d.retention === 'limits' ? RetentionPolicy.Limits : RetentionPolicy.Workqueue,
    discard: d.discard === 'old' ? DiscardPolicy.Old : DiscardPolicy.New,
    storage: StorageType.File,
    ...(d.isAddressed === true && { allow_direct: true }),
    max_age: nanos(d.maxAgeMs ?? 0),
    max_bytes: d.maxBytes,
    duplicate_window: nanos(d.duplicateWindowMs),
  } satisfies Partial<StreamConfig>;
}

async function createOrUpdate(manager: JetStreamManager, target: DeclaredConfig): Promise<void> {
  const existing = await find(manager, target.name);
  if (existing === undefined) {
    try {
      await manager.streams.add(target);
    } catch (error) {
      // Another replica, of another release, was faster.
      if (!(error instanceof JetStreamApiError) || error.code !== NAME_IN_USE) throw error;
      await createOrUpdate(manager, target);
    }
    return;
  }
  const { config } = existing;
  for (const fixed of ['storage', 'retention'] as const) {
    if (config[fixed] === target[fixed]) continue;
    throw refusal(target.name, `its ${fixed} is "${config[fixed]}", "${target[fixed]}" is declared`);
  }
  if (differs(config, target)) await manager.streams.update(target.name, target);
}

async function find(manager: JetStreamManager, name: string): Promise<StreamInfo | undefined> {
  try {
    return await manager.streams.info(name);
  } catch (error) {
    if (error instanceof Error && error.message === 'stream not found') return undefined;
    throw error;
  }
}

function differs(config: StreamConfig, target: DeclaredConfig): boolean {
  const current: Readonly<Record<string, unknown>> = { ...config };
  return Object.entries(target).some(
    ([name, value]) => JSON.stringify(current[name]) !== JSON.stringify(value),
  );
}

function refusal(name: string, reason: string, cause?: unknown): StreamDeclarationError {
  return new StreamDeclarationError(
    `The NATS stream ${name} cannot become what this version declares: ${reason}. Rename or delete it: nats stream rm ${name}`,
    { cause },
  );
}
