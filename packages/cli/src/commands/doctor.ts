import { resolve } from 'node:path';
import type { Command } from 'commander';
import { checkAccess } from '../doctor/access.ts';
import type { Finding } from '../doctor/finding.ts';
import { checkInstallation } from '../doctor/installation.ts';
import { checkMachine } from '../doctor/machine.ts';
import { CliError, EXIT_CODES } from '../failure.ts';
import { coloured, print } from '../output.ts';
import { findUrl } from '../session/client-settings.ts';
import { printable } from '../table.ts';
import type { World } from '../world.ts';
import { accountOptions, nonEmpty } from './options.ts';
import type { AccountOptions } from './options.ts';

type DoctorOptions = AccountOptions & { readonly data?: string };

/** `fairlead doctor` */
export function addDoctor(program: Command, world: World): void {
  accountOptions(program.command('doctor'))
    .description('check the installation, the credential and this machine, and suggest fixes')
    .option(
      '--data <folder>',
      'data folder of a development instance (default: .fairlead in the checkout)',
      nonEmpty,
    )
    .action((options: DoctorOptions) => doctor(options, world));
}

async function doctor(options: DoctorOptions, world: World): Promise<void> {
  const url = await findUrl(options, world);
  const data = resolve(world.cwd, options.data ?? world.defaultData);
  const installation = await checkInstallation(url, world);
  const findings = [
    ...installation.findings,
    // Without a response, every further check would fail for the same reason.
    ...(installation.isReachable ? await checkAccess(url, options, world) : []),
    ...(await checkMachine(url, data, world)),
  ];
  const failed = findings.filter(({ status }) => status === 'fail').length;
  print(world, options, { url, isHealthy: failed === 0, checks: findings }, () =>
    findings.map((it) => line(it, world)).join(''),
  );
  if (failed > 0)
    throw new CliError(EXIT_CODES.failed, failed === 1 ? 'One check failed.' : `${failed} checks failed.`);
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
const STATUS_WIDTH = 4;
const CHECK_WIDTH = 14;

function line({ check, status, message, hint }: Finding, world: World): string {
  const mark = coloured(world, COLOURS[status], status.padEnd(STATUS_WIDTH));
  const indent = ' '.repeat(STATUS_WIDTH + CHECK_WIDTH + 4);
  const advice = hint === undefined ? '' : `${indent}${printable(hint)}\n`;
  return `${mark}  ${check.padEnd(CHECK_WIDTH)}  ${printable(message)}\n${advice}`;
}
