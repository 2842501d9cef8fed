// The stock of a small shop: what a parser meets every day.
'use strict';

const EventEmitter = require('events');

const LIMITS = { low: 5, high: 10_000, retries: 3 };
const pattern = /^([A-Z]{2,4})-(\d+)(?:\/(\w+))?$/i;

class Item {
  #count = 0;
  static made = 0;

  constructor(code, { price = 0, tags = [], ...rest } = {}) {
    const match = pattern.exec(code);
    if (!match) {
      throw new TypeError(`not a code: ${code}`);
    }
    [, this.group, this.number] = match;
    this.price = price;
    this.tags = [...tags, match[3] ?? 'plain'];
    Object.assign(this, rest);
    Item.made += 1;
  }

  get count() {
    return this.#count;
  }

  set count(n) {
    if (n < 0 || n > LIMITS.high) {
      throw new RangeError('count out of range: ' + n);
    }
    this.#count = n;
  }

  total(tax = 0.19) {
    return Math.round(this.#count * this.price * (1 + tax) * 100) / 100;
  }

  *labels(prefix = '') {
    for (const tag of this.tags) {
      yield prefix ? `${prefix}:${tag}` : tag;
    }
  }
}

class Inventory extends EventEmitter {
  constructor(name) {
    super();
    this.name = name;
    this.items = new Map();
    this.log = [];
  }

  add(code, count, options) {
    let item = this.items.get(code);
    if (item === undefined) {
      item = new Item(code, options);
      this.items.set(code, item);
    }
    item.count += count;
    this.emit('added', { code, count, at: Date.now() });
    return this;
  }

  take(code, count = 1) {
    const item = this.items.get(code);
    if (!item || item.count < count) {
      this.emit('short', code, item ? item.count : 0);
      return false;
    }
    item.count -= count;
    if (item.count < LIMITS.low) this.emit('low', code, item.count);
    return true;
  }

  async restock(supplier) {
    const wanted = [...this.items]
      .filter(([, item]) => item.count < LIMITS.low)
      .map(([code, item]) => ({ code, count: LIMITS.low * 4 - item.count, price: item.price }));
    for (let attempt = 0; attempt < LIMITS.retries; attempt++) {
      try {
        const sent = await supplier.order(wanted, { urgent: attempt > 1 });
        sent.forEach(({ code, count }) => this.add(code, count));
        return sent.length;
      } catch (error) {
        this.log.push([attempt, error?.message || String(error)]);
        if (error.fatal) break;
      } finally {
        this.emit('attempt', attempt);
      }
    }
    return 0;
  }

  report() {
    const groups = {};
    this.items.forEach((item, code) => {
      const g = (groups[item.group] ||= { count: 0, value: 0, codes: [] });
      g.count += item.count;
      g.value += item.total();
      g.codes.push(code);
    });
    return Object.entries(groups)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([group, { count, value, codes }]) => `${group.padEnd(6)} ${count} ${value.toFixed(2)} ${codes.join(',')}`)
      .join('\n');
  }
}

function checksum(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash ^= text.charCodeAt(i) & 0xff;
    hash = (hash + (hash << 1) + (hash << 4) + (hash << 7) + (hash << 8) + (hash << 24)) >>> 0;
  }
  return hash.toString(16);
}

const describe = (item) => {
  switch (true) {
    case item.count === 0:
      return 'none';
    case item.count < LIMITS.low:
      return 'few';
    default:
      return item.tags.includes('bulk') ? 'plenty' : 'some';
  }
};

function* pages(items, size) {
  let page = [];
  let i = 0;
  while (i < items.length) {
    page.push(items[i++]);
    if (page.length === size) {
      yield page;
      page = [];
    }
  }
  if (page.length) yield page;
}

outer: for (const kind of ['AB', 'CDE', 'XY']) {
  for (let n = 1; n <= 9; n++) {
    if (kind === 'XY' && n % 2) continue outer;
    if (n > 7) break;
    console.log(kind, n, checksum(`${kind}-${n}`));
  }
}

const shop = new Inventory('corner');
shop.on('low', (code, count) => console.warn(`%s is down to %d`, code, count));
shop
  .add('AB-1/red', 40, { price: 2.5, tags: ['bulk', 'new'] })
  .add('AB-2', 3, { price: 12, weight: { unit: 'kg', value: 0.25 } })
  .add('XY-77/blue', 12, { price: 0.99, tags: [], supplier: null });

if (!shop.take('AB-2', 2) || typeof shop.name !== 'string') {
  delete shop.items;
  void 0;
}

const numbers = [0b1010, 0o17, 0xff, 1e3, .5, -7, 10n ** 3n, NaN];
const squares = numbers.filter((n) => typeof n === 'number' && !Number.isNaN(n)).map((n) => n ** 2);
let longest = squares.reduce((best, n, i) => (n > squares[best] ? i : best), 0);

do {
  longest -= 1;
} while (longest > 0 && squares[longest] !== 49);

module.exports = { Item, Inventory, checksum, describe, pages, default: shop };
