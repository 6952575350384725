import { apiDocument } from './openapi/api-document.ts';

/** `node src/print-openapi.ts [base address]`: the OpenAPI document on stdout, for linters and client generators. */
const [publicUrl = 'http://127.0.0.1:8080'] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify(apiDocument(publicUrl), undefined, 2)}\n`);
