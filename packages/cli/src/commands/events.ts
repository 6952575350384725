import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { Secret } from '@fairlead/service-kit/secret';
import { FairleadError } from '@fairlead/sdk';
import type { Event, EventDetail, Fairlead } from '@fairlead/sdk';
import { signatureHeaders } from '@fairlead/webhook-signature/signature-headers';
import { newSigningSecret, signingKey } from '@fairlead/webhook-signature/signing-secret';
import { CliError, EXIT_CODES, reportOf } from '../failure.ts';
import { moment, print, remark } from '../output.ts';
import { accountClient } from '../session/client-settings.ts';
import { properties, table } from '../table.ts';
import type { World } from '../world.ts';
import { eventFeed } from './event-feed.ts';
import type { FeedFilter } from './event-feed.ts';
import { accountOptions, nonEmpty, time } from './options.ts';
import type { AccountOptions } from './options.ts';

const DELIVERIES: readonly Event['delivery'][] = ['pending', 'dead_lettered', 'held', 'delivered', 'none'];

interface FeedOptions extends AccountOptions {
  readonly trigger?: string;
  readonly destination?: string;
}

interface ManyOptions {
  readonly from: string;
  readonly to?: string;
  readonly delivery: Event['delivery'];
}

const PAST = 10;
/** As in a delivery. */
const FORWARD_TIMEOUT_MS = 10_000;
const SECRET_VARIABLE = 'FAIRLEAD_WEBHOOK_SECRET';

/** `fairlead events …` and `fairlead listen` */
export function addEvents(program: Command, world: World): void {
  const events = program
    .command('events')
    .helpCommand(false)
    .description('read and replay the events of triggers');

  feedOptions(events.command('tail'))
    .description(
      'print the latest events and every new one, until Ctrl-C; with --json, one JSON object per line',
    )
    .option(
      '-n, --lines <count>',
      `how many of the latest to print first, 0 to 100 (default: ${PAST})`,
      lines,
    )
    .action(async (options: FeedOptions & { readonly lines?: number }) => {
      const client = await accountClient(options, world);
      for await (const event of eventFeed(client, world, filterOf(options), options.lines ?? PAST))
        world.out.write(options.json === true ? `${JSON.stringify(event)}\n` : lineOf(event));
    });

  const signal = { signal: world.signal };

  accountOptions(events.command('get'))
    .description('show an event with all attempts to deliver it')
    .argument('<eventId>', 'the event', nonEmpty)
    .action(async (eventId: string, options: AccountOptions) => {
      const client = await accountClient(options, world);
      const detail = await client.triggers.getEvent(eventId, signal);
      print(world, options, detail, () => detailText(detail));
    });

  accountOptions(events.command('replay'))
    .description('attempt the delivery of an event once more, now')
    .argument('<eventId>', 'the event', nonEmpty)
    .option('--destination <id>', 'only to this one of its destinations', nonEmpty)
    .action(async (eventId: string, options: AccountOptions & { readonly destination?: string }) => {
      const client = await accountClient(options, world);
      const { destination } = options;
      const query = { ...(destination !== undefined && { destinationId: destination }) };
      const detail = await client.triggers.replayEvent(eventId, query, signal);
      print(world, options, detail, () => detailText(detail));
    });

  feedOptions(events.command('replay-many'))
    .description('attempt the delivery of many events once more, in the background; at most 10 000')
    .requiredOption('--from <time>', 'only events that occurred at this time or later', time)
    .option('--to <time>', 'only events that occurred before', time)
    .addOption(
      new Option('--delivery <state>', 'only events of which this has become')
        .choices(DELIVERIES)
        .default('dead_lettered'),
    )
    .action(async (options: FeedOptions & ManyOptions) => {
      const client = await accountClient(options, world);
      const { from, to, delivery } = options;
      const query = { ...filterOf(options), from, ...(to !== undefined && { to }), delivery };
      const queued = await client.triggers.replayEvents(query, signal);
      print(world, options, queued, () => `Queued ${queued.queued} events.\n`);
    });

  feedOptions(program.command('listen'))
    .description(
      'send every new event to a program on this machine, signed as a destination gets it; changes no delivery',
    )
    .requiredOption('--forward-to <url>', 'where to send them, such as http://localhost:3000', address)
    .addHelpText(
      'after',
      `\nThe signing secret is printed. ${SECRET_VARIABLE} gives one of an earlier run; otherwise it is new.`,
    )
    .action(async (options: FeedOptions & { readonly forwardTo: string }) => {
      const client = await accountClient(options, world);
      const secretSetting = world.environment[SECRET_VARIABLE] ?? '';
      const secret = secretSetting === '' ? newSigningSecret() : givenSecret(secretSetting);
      remark(world, `Signing secret: ${secret.reveal()}`);
      remark(world, `Sending new events to ${options.forwardTo}. Ctrl-C ends it.`);
      for await (const event of eventFeed(client, world, filterOf(options), 0)) {
        const outcome = await forward(client, world, event, { url: options.forwardTo, secret });
        const { id, type } = event;
        world.out.write(
          options.json === true
            ? `${JSON.stringify({ id, type, ...outcome })}\n`
            : `${id}  ${type}  ${outcome.status ?? outcome.error}\n`,
        );
      }
    });
}

function givenSecret(text: string): Secret {
  const secret = new Secret(text);
  try {
    signingKey(secret);
    return secret;
  } catch (error) {
    const message = `${SECRET_VARIABLE} is not a signing secret such as this command prints.`;
    throw new CliError(EXIT_CODES.usage, message, { cause: error });
  }
}

function feedOptions(command: Command): Command {
  return accountOptions(command)
    .option('--trigger <id>', 'only events of this trigger', nonEmpty)
    .option('--destination <id>', 'only events that go to this destination', nonEmpty);
}

function filterOf({ trigger, destination }: FeedOptions): FeedFilter {
  return {
    ...(trigger !== undefined && { triggerId: trigger }),
    ...(destination !== undefined && { destinationId: destination }),
  };
}

/** Sends the bytes of an event as its destinations receive them; once, whatever the response. Reports if they could not be read or sent. */
async function forward(
  client: Fairlead,
  world: World,
  event: Event,
  to: { readonly url: string; readonly secret: Secret },
): Promise<{ readonly status: number | null; readonly error: string | null }> {
  try {
    const stream = await client.triggers.getEventBodyStream(event.id, { signal: world.signal });
    const body = new Uint8Array(await new Response(stream).arrayBuffer());
    const response = await fetch(to.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Fairlead-Events/1',
        'fairlead-attempt': '1',
        'fairlead-trigger-id': event.trigger_id,
        ...signatureHeaders({ secret: to.secret, eventId: event.id, sentAt: world.now(), body }),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([world.signal, AbortSignal.timeout(FORWARD_TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return { status: response.status, error: null };
  } catch (error) {
    world.signal.throwIfAborted();
    if (error instanceof FairleadError && reportOf(error).exitCode !== EXIT_CODES.tryLater) throw error;
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { status: null, error: reason instanceof Error ? reason.message : String(reason) };
  }
}

function lineOf({ created_at, id, type, delivery, trigger_id }: Event): string {
  return `${created_at}  ${id}  ${delivery}  ${type}  ${trigger_id}\n`;
}

function detailText({ event, attempts }: EventDetail): string {
  const head = properties([
    ['ID', event.id],
    ['Type', event.type],
    ['Trigger', event.trigger_id],
    ['Delivery', event.delivery],
    ['Occurred', moment(event.occurred_at)],
  ]);
  const rows = table(attempts, [
    { title: 'DESTINATION', value: ({ destination }) => destination },
    { title: 'ATTEMPT', value: ({ attempt }) => attempt },
    { title: 'STATE', value: ({ state }) => state },
    { title: 'STATUS', value: (it) => it.status_code ?? '' },
    { title: 'ERROR', value: ({ error }) => error ?? '' },
    { title: 'NEXT', value: (it) => moment(it.next_attempt_at) },
  ]);
  return `${head}${rows}`;
}

function lines(value: string): number {
  if (!/^(?:\d{1,2}|100)$/.test(value)) throw new InvalidArgumentError('Expected a number from 0 to 100.');
  return Number(value);
}

function address(value: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw new InvalidArgumentError('Expected an http or https address.');
}
