/**
 * The initial tables of the sample PostgreSQL: a small shop.
 * Each statement ends in `;` and a blank line, as PostgreSQL's single-user mode reads them.
 */
export const SAMPLE_SQL = `
CREATE TABLE products (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  category text NOT NULL,
  price numeric(10, 2) NOT NULL,
  in_stock boolean NOT NULL DEFAULT true
);

CREATE TABLE orders (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  product_id integer NOT NULL REFERENCES products (id),
  customer text NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  ordered_at timestamptz NOT NULL
);

INSERT INTO products (name, category, price, in_stock) VALUES
  ('Anchor, 10 kg', 'deck', 89.00, true),
  ('Bow fairlead', 'deck', 34.50, true),
  ('Mooring line, 15 m', 'rope', 42.90, true),
  ('Signal lamp', 'electrics', 27.00, false),
  ('Tide table 2027', 'books', 12.80, true);

INSERT INTO orders (product_id, customer, quantity, ordered_at) VALUES
  (1, 'Harbour Supplies Ltd', 2, '2026-09-01T08:30:00Z'),
  (2, 'Harbour Supplies Ltd', 6, '2026-09-01T08:30:00Z'),
  (3, 'Northwind Sailing Club', 10, '2026-09-14T15:05:00Z'),
  (5, 'Northwind Sailing Club', 25, '2026-10-02T11:20:00Z'),
  (2, 'Ada Marine', 1, '2026-10-20T09:45:00Z');

`;
