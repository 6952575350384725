import manifest from '../package.json' with { type: 'json' };

/** The program's version, equal to the platform release that contains it. */
export const VERSION = manifest.version;

/** The operating system and architecture, such as linux-x64. */
export const PLATFORM = `${process.platform}-${process.arch}`;
