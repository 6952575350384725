import { startEventSink } from '../faults/support/event-sink.ts';
import type { EventSink } from '../faults/support/event-sink.ts';
import type { Part } from './part.ts';
import { RELEASE } from './support/installation.ts';
import type { Installation } from './support/installation.ts';
import { until } from './support/kubernetes.ts';
import { createTrigger } from './support/traffic.ts';

const ANSWER_MS = 3_000;
const EVENTS = 96;
const SENDERS = 8;
const DELIVERED_MS = 120_000;
const DEPLOYMENT = `deployment/${RELEASE}-delivery`;

/** Four replicas of delivery make at least twice as many deliveries per second as one, to a slow receiver. */
export const delivery: Part = {
  name: 'delivery',
  async run(site) {
    const installation = await site.installation();
    const { namespace, machine } = installation;
    const sink = await startEventSink({ host: machine, delayMs: ANSWER_MS });
    try {
      const rates: number[] = [];
      for (const replicas of [1, 4]) {
        await namespace.kubectl(['scale', DEPLOYMENT, `--replicas=${String(replicas)}`]);
        await namespace.rolledOut(DEPLOYMENT);
        await until('the other replicas ended', DELIVERED_MS, async () => {
          const pods = await namespace.pods('app.kubernetes.io/component=delivery');
          return pods.length === replicas;
        });
        rates.push(await rateTo(installation, sink, replicas));
      }
      const [one = 0, four = 0] = rates;
      return {
        figures: [
          `deliveries a second to a sink that answers in ${String(ANSWER_MS / 1000)} s: ${one.toFixed(1)} by one replica, ${four.toFixed(1)} by four`,
        ],
        problems: four < 2 * one ? ['four replicas are less than twice as fast as one'] : [],
      };
    } finally {
      await namespace.kubectl(['scale', DEPLOYMENT, '--replicas=2']);
      sink.close();
    }
  },
};

/** Deliveries per second, between the first and the last of a backlog. */
async function rateTo({ target }: Installation, sink: EventSink, replicas: number): Promise<number> {
  const path = `/204/${String(replicas)}`;
  const hook = await createTrigger(target, sink.url + path);
  const arrivals = (): number[] =>
    sink
      .entries()
      .filter((it) => it.path === path)
      .map((it) => it.receivedAtMs);
  let left = EVENTS;
  const send = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await fetch(target.baseUrl + hook, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"number":0}',
      });
      if (answer.status !== 202) throw new Error(`${hook} answered ${String(answer.status)}`);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  await until('all events are delivered', DELIVERED_MS, () => arrivals().length >= EVENTS);
  const times = arrivals().toSorted((a, b) => a - b);
  return (1_000 * (times.length - 1)) / ((times.at(-1) ?? 0) - (times[0] ?? 0));
}
