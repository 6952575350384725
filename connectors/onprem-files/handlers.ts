import type { Handler } from '@fairlead/connector-runtime/handler';
import { deleteFile, moveFile, writeFile } from './change-files.ts';
import { listFolder, readFile, searchFiles } from './read-files.ts';

/** The handlers of the connector `onprem-files`, run by on-prem agents. */
export const handlers: Readonly<Record<string, Handler>> = {
  listFolder,
  readFile,
  searchFiles,
  writeFile,
  deleteFile,
  moveFile,
};
