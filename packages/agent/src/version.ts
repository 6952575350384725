import manifest from '../package.json' with { type: 'json' };

/** The version of this program: that of the platform's release that it belongs to. */
export const VERSION = manifest.version;

/** The system that it runs on, such as linux-x64. */
export const PLATFORM = `${process.platform}-${process.arch}`;
