import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { Fairlead } from '@fairlead/sdk';
import { setting } from './settings.ts';

// Upload a file, as the input of a tool for example, and download it. Neither way is it held in memory.
const client = new Fairlead({ baseUrl: setting('FAIRLEAD_URL'), apiKey: setting('FAIRLEAD_API_KEY') });

const blob = await openAsBlob(new URL(import.meta.url), { type: 'text/plain' });
const { fileId, sizeBytes, sha256 } = await client.files.upload(blob, { name: 'files.ts' });
console.log(sizeBytes === blob.size ? 'Uploaded all of it' : 'Uploaded another size');

const { file, content } = await client.files.download(fileId);
const hash = createHash('sha256');
for await (const chunk of content) hash.update(chunk);
console.log(`Downloaded ${file.name}, ${hash.digest('hex') === sha256 ? 'unchanged' : 'changed'}`);

// A stream can be uploaded, too, such as the body of another response.
const stream = new Blob(['a,b\n1,2\n']).stream();
const table = await client.files.upload(stream, { name: 'table.csv', contentType: 'text/csv' });
console.log(`${table.name} is ${table.contentType}`);

for (const id of [fileId, table.fileId]) await client.files.delete(id);
