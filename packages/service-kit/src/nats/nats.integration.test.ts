import { StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { EventOrigin } from './events.ts';
import { StreamDeclarationError } from './streams.ts';
import { connectNats } from './nats.ts';
import type { EventSubscription } from './nats.ts';
import { Secret } from '../secret.ts';
import { NatsUnavailableError } from './unavailable.ts';
import { registry } from '../telemetry/service-metrics.ts';
import { captureLog } from '../testing/log-lines.ts';
import { newEvent, openTestNats as open, streamManager as manager, streamOf } from '../testing/nats.ts';
import type { TextEvent } from '../testing/nats.ts';
import { openLink } from '../testing/network.ts';
import { patientNats } from '../testing/patient-nats.ts';
import type { Link } from '../testing/network.ts';
import { inSpan, useTracer } from '../telemetry/tracing.ts';
import type { Span } from '../telemetry/tracing.ts';

async function network(): Promise<Link & { readonly url: string }> {
  const made = await openLink(Number(new URL(inject('natsUrl')).port));
  onTestFinished(() => made.close());
  return { ...made, url: `nats://127.0.0.1:${made.port}` };
}

const untilLive = (...subscriptions: readonly (EventSubscription | { isLive(): boolean })[]) =>
  expect
    .poll(() =>
      subscriptions.every((each) => ('session' in each ? each.session() !== undefined : each.isLive())),
    )
    .toBe(true);
const untilAway = (subscription: EventSubscription) =>
  expect.poll(() => subscription.session()).toBeUndefined();

describe('events', () => {
  test('reach a subscriber with their origin once published', async () => {
    const [publisher, subscriber, event] = [await open(), await open(), newEvent()];
    const heard: [string, EventOrigin][] = [];
    const subscription = subscriber.subscribe(event, ({ value }, origin) => heard.push([value, origin]));
    await untilLive(subscription);
    const origin = {
      requestId: 'r-1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    };
    await publisher.publish(event, { value: 'one' }, origin);
    await publisher.publish(event, { value: 'two' });
    await expect.poll(() => heard).toHaveLength(2);
    expect(heard).toEqual([
      ['one', origin],
      ['two', { requestId: undefined, traceparent: undefined }],
    ]);
  });

  test('carry the trace in which they are published', async () => {
    const [nats, event] = [await open(), newEvent()];
    const heard: EventOrigin[] = [];
    const subscription = nats.subscribe(event, (_message, origin) => heard.push(origin));
    await untilLive(subscription);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const span: Span = {
      traceId: '0af7651916cd43dd8448eb211c80319c',
      headers: () => ({ traceparent }),
      rename: () => undefined,
      set: () => undefined,
      end: () => undefined,
    };
    useTracer({ start: () => span }, { toVendors: false });
    onTestFinished(() => useTracer(undefined, { toVendors: false }));
    await inSpan(span, () => nats.publish(event, { value: 'traced' }, { requestId: 'r-1' }));
    await expect.poll(() => heard).toEqual([{ requestId: 'r-1', traceparent }]);
  });

  test('errors of a handler and invalid payloads are logged, and the next event is delivered', async () => {
    const { log, lines } = captureLog();
    const [nats, event] = [await open({ log }), newEvent()];
    const heard: string[] = [];
    const subscription = nats.subscribe(event, ({ value }) => {
      if (value === 'bad') throw new Error('no');
      heard.push(value);
    });
    await untilLive(subscription);
    await nats.publish(event, { value: 'bad' });
    const raw = await connect({ servers: inject('natsUrl').replace('nats://', '') });
    raw.publish(event.subject, new Uint8Array([0xff]));
    await raw.drain();
    await nats.publish(event, { value: 'good' });
    await expect.poll(() => heard).toEqual(['good']);
    expect(lines().filter(({ msg }) => msg === 'could not handle an event')).toHaveLength(2);
  });
});

describe('NATS unreachable', () => {
  test('at the start: the boot continues with one warning, and it recovers by itself', async () => {
    const path = await network();
    await path.set({ kind: 'reset' });
    const { log, lines } = captureLog('warn');
    const [nats, event] = [await open({ url: path.url, log }), newEvent()];
    const heard: string[] = [];
    const subscription = nats.subscribe(event, ({ value }) => heard.push(value));
    expect([nats.isLive(), subscription.session()]).toEqual([false, undefined]);
    await expect(nats.publish(event, { value: 'lost' })).rejects.toThrow(NatsUnavailableError);
    await expect(nats.publishToStream(event, { value: 'lost' })).rejects.toThrow(NatsUnavailableError);
    expect(lines().map(({ msg }) => msg)).toEqual([
      'NATS is unreachable; cache entries are short-lived until it is back',
    ]);
    await path.set({ kind: 'pass' });
    await untilLive(subscription, nats);
    await nats.publish(event, { value: 'found' });
    await expect.poll(() => heard).toEqual(['found']);
    expect(lines()).toHaveLength(1);
  });

  test('later: a session ends with the connection and never comes back under its name', async () => {
    const path = await network();
    const { log, lines } = captureLog('warn');
    const [nats, event] = [await open({ url: path.url, log }), newEvent()];
    const heard: string[] = [];
    const subscription = nats.subscribe(event, ({ value }) => heard.push(value));
    await untilLive(subscription);
    const before = subscription.session();
    await path.set({ kind: 'reset' });
    await untilAway(subscription);
    expect(registry.render()).toMatch(/^nats_live 0$/m);
    await expect(nats.publish(event, { value: 'lost' })).rejects.toThrow(NatsUnavailableError);
    await path.set({ kind: 'pass' });
    await untilLive(subscription);
    expect(subscription.session()).not.toBe(before);
    expect(registry.render()).toMatch(/^nats_live 1$/m);
    await nats.publish(event, { value: 'x' });
    await expect.poll(() => heard).toEqual(['x']);
    expect(lines()).toHaveLength(1);
  });

  test('frozen: the session ends, and publishing fails instead of hanging', async () => {
    const path = await network();
    const [nats, event] = [await open({ url: path.url }), newEvent()];
    const subscription = nats.subscribe(event, () => undefined);
    await untilLive(subscription);
    await path.set({ kind: 'blackHole' });
    await untilAway(subscription);
    await expect(nats.publish(event, { value: 'x' })).rejects.toThrow(NatsUnavailableError);
    await path.set({ kind: 'pass' });
    await untilLive(subscription);
  });

  test('closing does not wait for it', async () => {
    const path = await network();
    const nats = await connectNats({ url: new Secret(path.url), name: 'test', log: captureLog().log });
    await path.set({ kind: 'blackHole' });
    await expect(nats.close()).resolves.toBeUndefined();
  });
});

describe('a stream', () => {
  test('is created as declared, changed when the declaration changes, and keeps the operator’s settings', async () => {
    const event = newEvent();
    const stream = streamOf(event);
    await Promise.all([open({ streams: [stream] }), open({ streams: [stream] })]);
    const { streams } = await manager();
    expect((await streams.info(stream.name)).config).toMatchObject({
      subjects: [event.subject],
      retention: 'limits',
      storage: 'file',
      max_age: 60_000_000_000,
    });
    await streams.update(stream.name, { max_msgs: 77 });
    await open({ streams: [streamOf(event, { maxAgeMs: 120_000, maxBytes: 500_000 })] });
    expect((await streams.info(stream.name)).config).toMatchObject({
      max_age: 120_000_000_000,
      max_bytes: 500_000,
      max_msgs: 77,
    });
  });

  test('that cannot be changed to its declaration stops the boot, and the message gives the reason and the remedy', async () => {
    const stream = streamOf(newEvent());
    const { streams } = await manager();
    await streams.add({ name: stream.name, subjects: ['fairlead.other'], storage: StorageType.Memory });
    const boot = open({ streams: [stream] });
    await expect(boot).rejects.toThrow(StreamDeclarationError);
    await expect(boot).rejects.toThrow(
      `its storage is "memory", "file" is declared. Rename or delete it: nats stream rm ${stream.name}`,
    );
    const taken = streamOf(newEvent());
    await streams.add({ name: `${taken.name}_OTHER`, subjects: taken.events.map(({ subject }) => subject) });
    await expect(open({ streams: [taken] })).rejects.toThrow(/subjects overlap/);
  });

  test('keeps a message that is published twice under one id once', async () => {
    const [event, heard] = [newEvent(), [] as string[]];
    const nats = patientNats(await open({ streams: [streamOf(event)] }));
    const follower = nats.follow(event, {
      onEvent: ({ value }) => heard.push(value),
      onGap: () => undefined,
    });
    await untilLive(follower);
    await nats.publishToStream(event, { value: 'a' }, { id: 'one' });
    await nats.publishToStream(event, { value: 'a' }, { id: 'one' });
    await nats.publishToStream(event, { value: 'b' }, { id: 'two' });
    await expect.poll(() => heard).toEqual(['a', 'b']);
  });

  test('that does not exist rejects a publication', async () => {
    const nats = await open();
    await untilLive(nats);
    await expect(nats.publishToStream(newEvent(), { value: 'x' })).rejects.toThrow(NatsUnavailableError);
  });
});

describe('a follower', () => {
  async function following(event: TextEvent, url: string) {
    const heard: string[] = [];
    const nats = await open({ url });
    const follower = nats.follow(event, {
      onEvent: ({ value }) => heard.push(value),
      onGap: () => heard.push('gap'),
    });
    return { heard, follower };
  }

  test('waits for its stream, receives what is published from then on, and during an outage afterwards, in order', async () => {
    const [event, path] = [newEvent(), await network()];
    const { heard, follower } = await following(event, path.url);
    const owner = patientNats(await open({ streams: [streamOf(event)] }));
    await untilLive(follower);
    await owner.publishToStream(event, { value: '1' });
    await expect.poll(() => heard).toEqual(['1']);
    await path.set({ kind: 'reset' });
    await untilAway(follower);
    for (const value of ['2', '3', '4']) await owner.publishToStream(event, { value });
    await path.set({ kind: 'pass' });
    await expect.poll(() => heard).toEqual(['1', '2', '3', '4']);
    await untilLive(follower);
    await owner.publishToStream(event, { value: '5' });
    await expect.poll(() => heard).toEqual(['1', '2', '3', '4', '5']);
  });

  test('does not receive what was published before it attached', async () => {
    const event = newEvent();
    const owner = patientNats(await open({ streams: [streamOf(event)] }));
    await owner.publishToStream(event, { value: 'old' });
    const { heard, follower } = await following(event, inject('natsUrl'));
    await untilLive(follower);
    await owner.publishToStream(event, { value: 'new' });
    await expect.poll(() => heard).toEqual(['new']);
  });

  test('is notified of a gap if the stream lost messages meanwhile, or was recreated', async () => {
    const [event, path] = [newEvent(), await network()];
    const stream = streamOf(event);
    const owner = patientNats(await open({ streams: [stream] }));
    const { heard, follower } = await following(event, path.url);
    await untilLive(follower);
    await owner.publishToStream(event, { value: '1' });
    await expect.poll(() => heard).toEqual(['1']);
    const { streams } = await manager();
    await path.set({ kind: 'reset' });
    await untilAway(follower);
    await owner.publishToStream(event, { value: '2' });
    await streams.purge(stream.name);
    await path.set({ kind: 'pass' });
    await expect.poll(() => heard).toEqual(['1', 'gap']);
    await untilLive(follower);
    await path.set({ kind: 'reset' });
    await untilAway(follower);
    await streams.delete(stream.name);
    await open({ streams: [stream] });
    await path.set({ kind: 'pass' });
    await expect.poll(() => heard).toEqual(['1', 'gap', 'gap']);
    await untilLive(follower);
    await owner.publishToStream(event, { value: '3' });
    await expect.poll(() => heard).toEqual(['1', 'gap', 'gap', '3']);
  });

  test('recovers after its stream was deleted', async () => {
    const event = newEvent();
    const stream = streamOf(event);
    await open({ streams: [stream] });
    const { heard, follower } = await following(event, inject('natsUrl'));
    await untilLive(follower);
    const { streams } = await manager();
    await streams.delete(stream.name);
    const owner = patientNats(await open({ streams: [stream] }));
    await expect.poll(() => heard).toEqual(['gap']);
    await untilLive(follower);
    await owner.publishToStream(event, { value: 'again' });
    await expect.poll(() => heard).toEqual(['gap', 'again']);
  });
});
