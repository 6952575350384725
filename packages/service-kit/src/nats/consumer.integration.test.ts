import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNatsServer } from '@fairlead/local-stores/nats-server';
import { connect } from '@nats-io/transport-node';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { registry } from '../telemetry/service-metrics.ts';
import { captureLog } from '../testing/log-lines.ts';
import { newEvent, openTestNats, streamManager, streamOf } from '../testing/nats.ts';
import { patientNats } from '../testing/patient-nats.ts';
import type { TextEvent } from '../testing/nats.ts';
import { defineConsumer } from './consumer.ts';
import type { ConsumerDefinition, HandleBatch } from './consumer.ts';
import type { Nats } from './nats.ts';
import { NatsUnavailableError } from './unavailable.ts';

type TextSchema = TextEvent['schema'];

const workQueueOf = (event: TextEvent) =>
  streamOf(event, { retention: 'work-queue', discard: 'new', maxAgeMs: undefined });

const consumerOf = (
  event: TextEvent,
  members: Partial<ConsumerDefinition<TextSchema>> = {},
): ConsumerDefinition<TextSchema> =>
  defineConsumer({
    name: `of-${event.subject.split('.')[2] ?? ''}`,
    description: 'A consumer of a test',
    event,
    ackWaitMs: 30_000,
    maxAckPending: 64,
    batchSize: 8,
    ...members,
  });

/** Records its batches; `gate` delays each of them. */
function recorder(gate: () => Promise<void> = () => Promise.resolve()) {
  const batches: string[][] = [];
  const handle: HandleBatch<TextSchema> = async (batch) => {
    batches.push(batch.map(({ message }) => message.value));
    await gate();
  };
  return { batches, handle, values: () => batches.flat() };
}

/** A gate that stays shut until the test opens it. */
function shutGate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  onTestFinished(open);
  return { gate: () => opened, open };
}

function consume(nats: Nats, consumer: ConsumerDefinition<TextSchema>, handle: HandleBatch<TextSchema>) {
  const running = nats.consume(consumer, handle);
  onTestFinished(() => running.close());
  return running;
}

async function publish(nats: Nats, event: TextEvent, values: readonly string[]): Promise<void> {
  const patient = patientNats(nats);
  await Promise.all(values.map((value) => patient.publishToStream(event, { value })));
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `m${at}`);
const LONG = { timeout: 90_000 };

describe('a work queue', () => {
  test('is declared with its retention and what it does when it is full: it rejects, and loses nothing', async () => {
    const event = newEvent();
    const stream = streamOf(event, {
      retention: 'work-queue',
      discard: 'new',
      maxAgeMs: undefined,
      maxBytes: 2_000,
    });
    const nats = await openTestNats({ streams: [stream] });
    const { streams } = await streamManager();
    expect((await streams.info(stream.name)).config).toMatchObject({
      retention: 'workqueue',
      discard: 'new',
      max_age: 0,
      max_bytes: 2_000,
    });
    await publish(nats, event, ['x'.repeat(1_500)]);
    await expect(nats.publishToStream(event, { value: 'y'.repeat(1_500) })).rejects.toThrow(
      NatsUnavailableError,
    );
    expect(await patientNats(nats).streamState(event)).toMatchObject({
      messages: 1,
      firstSequence: 1,
      lastSequence: 1,
    });
  });

  test('takes publications that do not wait for each other, in their order, and confirms each', async () => {
    const event = newEvent();
    const nats = await openTestNats({ streams: [workQueueOf(event)] });
    const stored = await Promise.all(
      numbers(200).map((value) => nats.publishToStream(event, { value }, { id: value })),
    );
    expect(stored).toEqual(numbers(200).map((_, at) => ({ sequence: at + 1, isDuplicate: false })));
    expect(await patientNats(nats).publishToStream(event, { value: 'again' }, { id: 'm7' })).toEqual({
      sequence: 8,
      isDuplicate: true,
    });
    const { batches, handle, values } = recorder();
    consume(nats, consumerOf(event), handle);
    await expect.poll(values, LONG).toEqual(numbers(200));
    expect(batches.every(({ length }) => length <= 8)).toBe(true);
    await expect
      .poll(() => nats.streamState(event))
      .toMatchObject({ messages: 0, firstSequence: 201, lastSequence: 200 });
  });

  test('that is deleted under a live connection is made again, and its consumer too', async () => {
    const event = newEvent();
    const stream = workQueueOf(event);
    const [nats, other] = [await openTestNats({ streams: [stream] }), await openTestNats()];
    const { values, handle } = recorder();
    consume(other, consumerOf(event), handle);
    await publish(nats, event, ['1']);
    await expect.poll(values, LONG).toEqual(['1']);
    const before = await patientNats(nats).streamState(event);
    const { streams, consumers } = await streamManager();
    await streams.delete(stream.name);
    await expect(nats.publishToStream(event, { value: 'gone' })).rejects.toThrow(NatsUnavailableError);
    await expect.poll(() => nats.streamState(event).catch(() => before), LONG).not.toEqual(before);
    expect((await patientNats(nats).streamState(event)).createdAt).not.toBe(before.createdAt);
    await publish(nats, event, ['2']);
    await expect.poll(values, LONG).toEqual(['1', '2']);
    await consumers.delete(stream.name, consumerOf(event).name);
    await publish(nats, event, ['3']);
    await expect.poll(values, LONG).toEqual(['1', '2', '3']);
    expect((await consumers.info(stream.name, consumerOf(event).name)).config).toMatchObject({
      ack_policy: 'explicit',
      ack_wait: 30_000_000_000,
      max_ack_pending: 64,
      max_deliver: -1,
    });
  });

  test('is made again, and its consumer too, on a server that came back without its data', async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'fairlead-test-wiped-'));
    onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }));
    const first = await startNatsServer({ dataDirectory: join(dataDirectory, '1') });
    const { port, url } = first;
    const event = newEvent();
    const nats = await openTestNats({ url, streams: [workQueueOf(event)] });
    const { values, handle } = recorder();
    consume(nats, consumerOf(event), handle);
    await publish(nats, event, ['1']);
    await expect.poll(values, LONG).toEqual(['1']);
    const { createdAt } = await patientNats(nats).streamState(event);
    await first.stop();
    const second = await startNatsServer({ dataDirectory: join(dataDirectory, '2'), port });
    onTestFinished(() => second.stop());
    await expect
      .poll(
        () =>
          nats.streamState(event).then(
            (state) => state.createdAt !== createdAt,
            () => false,
          ),
        LONG,
      )
      .toBe(true);
    await publish(nats, event, ['2']);
    await expect.poll(values, LONG).toEqual(['1', '2']);
  });
});

describe('a consumer', () => {
  test('gives each message to one of its replicas', async () => {
    const event = newEvent();
    const [first, second] = [await openTestNats({ streams: [workQueueOf(event)] }), await openTestNats()];
    const all: string[] = [];
    for (const nats of [first, second])
      consume(nats, consumerOf(event), (batch) => {
        all.push(...batch.map(({ message }) => message.value));
        return Promise.resolve();
      });
    await publish(first, event, numbers(100));
    await expect.poll(() => all.toSorted(), LONG).toEqual(numbers(100).toSorted());
    await expect.poll(async () => (await first.streamState(event)).messages).toBe(0);
  });

  test('holds two batches at most, and handles together what arrived meanwhile', async () => {
    const event = newEvent();
    const nats = await openTestNats({ streams: [workQueueOf(event)] });
    const { gate, open } = shutGate();
    const { batches, handle, values } = recorder(gate);
    const consumer = consumerOf(event, { batchSize: 4 });
    consume(nats, consumer, handle);
    await publish(nats, event, ['first']);
    await expect.poll(values, LONG).toEqual(['first']);
    await publish(nats, event, numbers(20));
    const { consumers } = await streamManager();
    const held = async () => (await consumers.info(streamOf(event).name, consumer.name)).num_ack_pending;
    await expect.poll(held).toBeGreaterThanOrEqual(4);
    expect(await held()).toBeLessThanOrEqual(8);
    open();
    await expect.poll(values, LONG).toHaveLength(21);
    expect(batches[1]?.length).toBeGreaterThan(1);
    expect(batches.every(({ length }) => length <= 4)).toBe(true);
    await expect.poll(held).toBe(0);
  });

  test('handles few messages at the same time if it is declared so, and more together', async () => {
    const event = newEvent();
    const nats = await openTestNats({ streams: [workQueueOf(event)] });
    const { gate, open } = shutGate();
    const { batches, handle, values } = recorder(gate);
    consume(nats, consumerOf(event, { fewMessages: 2 }), handle);
    for (const value of ['1', '2']) {
      await publish(nats, event, [value]);
      await expect.poll(() => values().at(-1), LONG).toBe(value);
    }
    await publish(nats, event, ['3', '4']);
    const { consumers } = await streamManager();
    const held = async () =>
      (await consumers.info(streamOf(event).name, consumerOf(event).name)).num_ack_pending;
    await expect.poll(held).toBe(4);
    expect(batches).toEqual([['1'], ['2']]);
    open();
    await expect.poll(() => values().toSorted(), LONG).toEqual(['1', '2', '3', '4']);
    await expect.poll(async () => (await nats.streamState(event)).messages).toBe(0);
  });

  test('holds none while they cannot be handled, tries one after a pause, and loses none', async () => {
    const event = newEvent();
    const { log, lines } = captureLog();
    const nats = await openTestNats({ streams: [workQueueOf(event)], log });
    const handled: string[] = [];
    const tried: number[] = [];
    let isBroken = true;
    const consumer = consumerOf(event);
    consume(nats, consumer, (batch) => {
      tried.push(batch.length);
      if (isBroken) return Promise.reject(new Error('no database'));
      handled.push(...batch.map(({ message }) => message.value));
      return Promise.resolve();
    });
    await publish(nats, event, numbers(30));
    await expect.poll(() => tried.slice(-3), LONG).toEqual([1, 1, 1]);
    isBroken = false;
    await expect.poll(() => handled.toSorted()).toEqual(numbers(30).toSorted());
    await expect.poll(async () => (await nats.streamState(event)).messages).toBe(0);
    const told = lines().map(({ msg }) => msg);
    expect(
      told.filter((text) => text === 'could not handle messages of a stream; they stay in it'),
    ).toHaveLength(1);
    expect(told).toContain('messages of a stream are handled again');
  });

  test('removes and counts what it cannot read, and goes on', async () => {
    const event = newEvent();
    const nats = await openTestNats({ streams: [workQueueOf(event)] });
    const raw = await connect({ servers: inject('natsUrl').replace('nats://', '') });
    raw.publish(event.subject, new Uint8Array([0xff]));
    await raw.drain();
    const { values, handle } = recorder();
    const consumer = consumerOf(event);
    consume(nats, consumer, handle);
    await publish(nats, event, ['good']);
    await expect.poll(values, LONG).toEqual(['good']);
    await expect.poll(async () => (await nats.streamState(event)).messages).toBe(0);
    expect(registry.render()).toContain(
      `stream_messages_total{consumer="${consumer.name}",outcome="unreadable"} 1`,
    );
  });

  test('that stops finishes what it handles and returns the rest at once', async () => {
    const event = newEvent();
    const nats = await openTestNats({ streams: [workQueueOf(event)] });
    const { gate, open } = shutGate();
    const first = recorder(gate);
    const stopping = consume(nats, consumerOf(event), first.handle);
    await publish(nats, event, ['1']);
    await expect.poll(first.values, LONG).toEqual(['1']);
    await publish(nats, event, ['2', '3']);
    const { consumers } = await streamManager();
    const held = async () =>
      (await consumers.info(streamOf(event).name, consumerOf(event).name)).num_ack_pending;
    await expect.poll(held).toBe(3);
    const closed = stopping.close();
    const second = recorder();
    consume(await openTestNats(), consumerOf(event), second.handle);
    await expect.poll(() => second.values().toSorted(), LONG).toEqual(['2', '3']);
    open();
    await closed;
    expect(first.values()).toEqual(['1']);
    await expect.poll(async () => (await nats.streamState(event)).messages).toBe(0);
  });

  test('delivers again what a replica that died held', async () => {
    const event = newEvent();
    const nats = await openTestNats({ streams: [workQueueOf(event)] });
    const dying = await openTestNats();
    const consumer = consumerOf(event, { ackWaitMs: 1_000 });
    const first = recorder(shutGate().gate);
    dying.consume(consumer, first.handle);
    await publish(nats, event, ['1']);
    // Redelivered every second until it is acknowledged.
    await expect.poll(first.values, LONG).toContain('1');
    await dying.close();
    const second = recorder();
    consume(nats, consumer, second.handle);
    await expect.poll(second.values, LONG).toContain('1');
  });
});
