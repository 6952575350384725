import { isErrno } from './local-process.ts';
import { runCommand } from './run-command.ts';

/** Debian's package for each shared library of the stores' binaries, except the C library. */
const DEBIAN_PACKAGES: Readonly<Record<string, string>> = {
  'libcurl.so.4': 'libcurl4',
  'liblzma.so.5': 'liblzma5',
  'libcrypto.so.3': 'libssl3',
  'libssl.so.3': 'libssl3',
  'libgcc_s.so.1': 'libgcc-s1',
  'libgssapi_krb5.so.2': 'libgssapi-krb5-2',
};

/** The result of starting a binary on this machine: its version line, or the reason for the failure. */
export type BinaryCheck =
  | { readonly kind: 'runs'; readonly versionText: string }
  | {
      readonly kind: 'missing-libraries';
      readonly libraries: readonly string[];
      readonly packages: readonly string[];
    }
  | { readonly kind: 'unusable'; readonly reason: string };

/** Runs `<binary> --version`; if it fails, reports the libraries that this machine lacks. */
export async function checkBinary(binary: string): Promise<BinaryCheck> {
  try {
    const result = await runCommand(binary, ['--version']);
    if (result.code === 0) return { kind: 'runs', versionText: result.stdout };
    // A truncated file ends by a signal without output.
    if (result.code === null) return { kind: 'unusable', reason: 'it crashes' };
    return await explainFailure(binary, result.stderr.trim());
  } catch (error) {
    // The file exists, so ENOENT is about its ELF interpreter: the C library is not glibc.
    if (isErrno(error, 'ENOENT'))
      return { kind: 'unusable', reason: 'it needs glibc, which this system does not have' };
    return { kind: 'unusable', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The sentence about what to install. */
export function missingLibrariesText(
  binary: string,
  missing: BinaryCheck & { kind: 'missing-libraries' },
): string {
  const install =
    missing.packages.length === 0
      ? 'install the packages that have them'
      : `on Debian or Ubuntu: apt-get install ${missing.packages.join(' ')}`;
  return `${binary} needs ${missing.libraries.join(', ')}, which this system does not have (${install})`;
}

async function explainFailure(binary: string, stderr: string): Promise<BinaryCheck> {
  const first = /error while loading shared libraries: (\S+): cannot open shared object file/.exec(
    stderr,
  )?.[1];
  if (first === undefined)
    return { kind: 'unusable', reason: stderr.split('\n')[0] || 'it fails without a word' };
  const libraries = [...new Set([first, ...(await findUnresolved(binary))])];
  const packages = libraries.map((library) => DEBIAN_PACKAGES[library]).filter((name) => name !== undefined);
  return { kind: 'missing-libraries', libraries, packages: [...new Set(packages)] };
}

/** The loader reports only the first missing library; `ldd` reports all. */
async function findUnresolved(binary: string): Promise<readonly string[]> {
  const lddOutput = await runCommand('ldd', [binary]).catch(() => undefined);
  return [...(lddOutput?.stdout ?? '').matchAll(/^\s*(\S+) => not found$/gm)].flatMap(
    (match) => match[1] ?? [],
  );
}

/**
 * Installs Debian packages; returns false if this process is not root, or the system has no `apt-get`. Rejects with the last line of apt's
 * output if apt fails.
 */
export async function installDebianPackages(
  packages: readonly string[],
  log?: (line: string) => void,
): Promise<boolean> {
  if (process.getuid?.() !== 0 || packages.length === 0) return false;
  const command = ['install', '-y', '--no-install-recommends', ...packages];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    log?.(`Installing what mongod needs: apt-get ${command.join(' ')}`);
    await runCommand('apt-get', ['update'], { env });
    const result = await runCommand('apt-get', command, { env });
    if (result.code !== 0)
      throw new Error(`apt-get failed: ${result.stderr.trim().split('\n').at(-1) ?? ''}`);
    return true;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}
