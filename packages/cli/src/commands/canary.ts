import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import type { Canary, ChangedCanary } from '@fairlead/sdk';
import { callerNameOf, Callers } from '../canaries/callers.ts';
import type { CallerName } from '../canaries/callers.ts';
import { compareTracks, percent } from '../canaries/compare-tracks.ts';
import type { Bounds, Comparison } from '../canaries/compare-tracks.ts';
import { CliError, EXIT_CODES } from '../failure.ts';
import { collect, jsonText, moment, print, remark } from '../output.ts';
import type { OutputOptions } from '../output.ts';
import { operatorClient } from '../session/client-settings.ts';
import { table } from '../table.ts';
import type { World } from '../world.ts';
import { positive, urlOptions } from './options.ts';

interface CommonOptions extends OutputOptions {
  readonly url?: string;
}

interface AnalyseOptions extends CommonOptions, Bounds {
  readonly callers: readonly CallerName[];
  readonly seconds: number;
  readonly abort?: boolean;
  readonly allowFewCalls?: boolean;
}

/** `fairlead canary …` */
export function addCanary(program: Command, world: World): void {
  const canary = program
    .command('canary')
    .helpCommand(false)
    .description('watch and steer the canaries of the installation (needs FAIRLEAD_OPERATOR_KEY)');
  const signal = { signal: world.signal };

  urlOptions(canary.command('status'))
    .description('list the canaries, and the processes that do not obey')
    .action(async (options: CommonOptions) => {
      const client = await operatorClient(options, world);
      const all = await collect(client.operator.iterateCanaries({}, signal));
      print(world, options, all, () => canaryTable(all) + laggardsOf(all));
    });

  urlOptions(canary.command('set'))
    .description('send a percentage of the accounts to the canary of a service')
    .argument('<service>', 'the service')
    .argument('<weight>', 'percent, from 0 to 100', weight)
    .action(async (service: string, value: number, options: CommonOptions) => {
      const client = await operatorClient(options, world);
      report(world, options, await client.operator.updateCanary(service, { weight: value }, signal));
    });

  urlOptions(canary.command('promote'))
    .description('send everything to the canary, and print the values that make its release the stable one')
    .argument('<service>', 'the service')
    .action(async (service: string, options: CommonOptions) => {
      const client = await operatorClient(options, world);
      const promoted = await client.operator.promoteCanary(service, signal);
      report(world, options, promoted, () => `Values for the next upgrade:\n${jsonText(promoted.values)}`);
    });

  urlOptions(canary.command('abort'))
    .description('send everything to stable')
    .argument('<service>', 'the service')
    .action(async (service: string, options: CommonOptions) => {
      const client = await operatorClient(options, world);
      report(world, options, await client.operator.abortCanary(service, {}, signal));
    });

  analyseOptions(urlOptions(canary.command('analyse')))
    .description('compare the canary of a service with stable by the metrics of its callers')
    .argument('<service>', 'the service')
    .action((service: string, options: AnalyseOptions) => analyse(service, options, world));
}

function analyseOptions(command: Command): Command {
  return command
    .requiredOption(
      '--callers <names>',
      'callers of the service, separated by commas, repeatable: dns:///name-of-all-replicas:admin-port',
      callers,
    )
    .option('--seconds <count>', 'length of the comparison', positive, 60)
    .option(
      '--max-error-difference <share>',
      'most by which its share of failed calls may be higher',
      share,
      0.02,
    )
    .option('--max-latency-ratio <ratio>', 'most by which its calls may take longer', ratio, 1.5)
    .option('--min-calls <count>', 'fewest calls of each track', positive, 50)
    .option('--abort', 'abort a canary that is worse')
    .option('--allow-few-calls', 'exit with 0 if there are fewer calls than --min-calls')
    .addHelpText('after', '\nExit codes: 0 not worse, 1 worse, 2 cannot tell.');
}

async function analyse(service: string, options: AnalyseOptions, world: World): Promise<void> {
  // Checked before the wait: without a key, a worse canary could not be aborted.
  const client = options.abort === true ? await operatorClient(options, world) : undefined;
  const found = new Callers(options.callers, service);
  const replicas = await found.begin();
  if (replicas === 0)
    throw new CliError(EXIT_CODES.usage, 'Cannot tell: no caller answers with its metrics.');
  remark(world, `Comparing the calls of ${replicas} replicas for ${options.seconds} s.`);
  await world.wait(options.seconds * 1000);
  const comparison = compareTracks(await found.end(), options);
  print(world, options, comparison, () => comparisonTable(comparison));
  const text = comparison.reasons.join('; ');
  if (comparison.verdict === 'cannot tell' && options.allowFewCalls === true)
    return remark(world, `Cannot tell: ${text}.`);
  if (comparison.verdict === 'cannot tell') throw new CliError(EXIT_CODES.usage, `Cannot tell: ${text}.`);
  if (comparison.verdict === 'not worse') return;
  if (client === undefined) throw new CliError(EXIT_CODES.failed, `The canary is worse: ${text}.`);
  const aborted = await client.operator.abortCanary(service, { by: 'analysis' }, { signal: world.signal });
  const lagging = aborted.laggingProcesses.map(({ instance }) => instance);
  const rest = lagging.length === 0 ? '' : ` These processes do not obey yet: ${lagging.join(', ')}.`;
  throw new CliError(EXIT_CODES.failed, `The canary is worse, and is aborted: ${text}.${rest}`);
}

/** Prints a changed canary. Throws if a process has not applied the change. */
function report(
  world: World,
  options: CommonOptions,
  changed: ChangedCanary,
  more: () => string = () => '',
): void {
  print(world, options, changed, () => canaryTable([changed]) + more());
  const lagging = changed.laggingProcesses.map(({ service, instance }) => `${service} ${instance}`);
  if (lagging.length > 0)
    throw new CliError(EXIT_CODES.failed, `These processes do not obey yet: ${lagging.join(', ')}.`);
}

function canaryTable(canaries: readonly Canary[]): string {
  return table(canaries, [
    { title: 'SERVICE', value: ({ service }) => service },
    { title: 'MODE', value: ({ mode }) => mode },
    { title: 'WEIGHT', value: (canary) => (canary.isAborted ? 'aborted' : `${canary.weight} %`) },
    { title: 'IMAGE', value: ({ image }) => image },
    { title: 'CHANGED BY', value: ({ change }) => change?.by },
    { title: 'AT', value: ({ change }) => moment(change?.at ?? null) },
    {
      title: 'OBEYED BY',
      value: (canary) => `${canary.processes.length - others(canary).length} of ${canary.processes.length}`,
    },
  ]);
}

function laggardsOf(canaries: readonly Canary[]): string {
  return canaries
    .flatMap((canary) =>
      others(canary).map(
        ({ service, instance, weight: applied }) =>
          `${service} ${instance} sends ${applied === null ? 'nothing' : `${applied} %`} to the canary of ${canary.service}.\n`,
      ),
    )
    .join('');
}

function others({ processes, weight: expected }: Canary): Canary['processes'] {
  return processes.filter(({ weight: applied }) => applied !== expected);
}

function comparisonTable({ stable, canary }: Comparison): string {
  return table(
    [stable, canary],
    [
      { title: 'TRACK', value: ({ track }) => track },
      { title: 'CALLS', value: ({ calls }) => calls },
      { title: 'FAILED', value: ({ failed }) => failed },
      { title: 'SHARE', value: ({ errorShare }) => percent(errorShare) },
      {
        title: 'MEAN',
        value: ({ meanSeconds }) => (meanSeconds === null ? null : `${(meanSeconds * 1000).toFixed(1)} ms`),
      },
    ],
  );
}

function callers(value: string, before: readonly CallerName[] = []): readonly CallerName[] {
  const found = value.split(',').map((text) => {
    const name = callerNameOf(text.trim());
    if (name === undefined) throw new InvalidArgumentError('Expected dns:///name:port or http://host:port.');
    return name;
  });
  return [...before, ...found];
}

function weight(value: string): number {
  return numberIn(value, 100);
}

function share(value: string): number {
  return numberIn(value, 1);
}

function ratio(value: string): number {
  return numberIn(value, 1_000);
}

function numberIn(value: string, most: number): number {
  const found = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : Infinity;
  if (found > most) throw new InvalidArgumentError(`Expected a number from 0 to ${most}.`);
  return found;
}
