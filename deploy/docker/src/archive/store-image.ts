import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { writeImageArchive } from './image-archive.ts';

/** User of the images, as in the services' image. */
const USER = 65_532;

const TEMPORARY = 'tmp';

const ACCOUNTS = {
  'etc/passwd': `root:x:0:0:root:/:/sbin/nologin\nnonroot:x:${String(USER)}:${String(USER)}:nonroot:/data:/sbin/nologin\n`,
  'etc/group': `root:x:0:\nnonroot:x:${String(USER)}:\n`,
};

/** The image of one server: its program on the PATH, the shared libraries that it loads, and a data folder. */
export interface StoreImage {
  /** Path of the program on this machine. */
  readonly program: string;
  /** The program's name in the image. */
  readonly name: string;
  /** Absolute path in the image. */
  readonly dataFolder: string;
  /** Default arguments. */
  readonly command: readonly string[];
  readonly tag: string;
  readonly out: string;
}

/** Writes an image archive of a server program from this machine's files; needs `ldd` and GNU tar. */
export async function writeStoreImage(o: StoreImage): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'fairlead-store-'));
  const root = join(work, 'root');
  const owned = join(work, 'owned');
  try {
    const files: readonly (readonly [string, string])[] = [
      [o.program, `usr/local/bin/${o.name}`],
      ...(await sharedLibraries(o.program)).map((path) => [path, path] as const),
    ];
    for (const [from, to] of files) {
      await mkdir(dirname(join(root, to)), { recursive: true });
      await copyFile(from, join(root, to));
    }
    await mkdir(join(root, 'etc'), { recursive: true });
    for (const [file, text] of Object.entries(ACCOUNTS)) await writeFile(join(root, file), text);
    for (const folder of [TEMPORARY, o.dataFolder]) await mkdir(join(owned, folder), { recursive: true });
    await writeImageArchive({
      layers: [
        { folder: root, place: '/' },
        { folder: owned, place: '/', owner: USER, entries: (await readdir(owned)).toSorted() },
      ],
      config: {
        User: `${String(USER)}:${String(USER)}`,
        WorkingDir: '/data',
        Env: ['PATH=/usr/local/bin'],
        Cmd: o.command,
      },
      tag: o.tag,
      out: o.out,
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Files that the loader maps for a program, including the loader; none for a static program. */
async function sharedLibraries(program: string): Promise<readonly string[]> {
  const lddOutput = await promisify(execFile)('ldd', [program]).then(
    ({ stdout }) => stdout,
    () => '',
  );
  return [...lddOutput.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x/gm)].flatMap((match) => match[1] ?? []);
}
