import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestCount, estimateTokens } from './token-count.ts';

/** Texts with the tokens that o200k cuts them into, as gpt-tokenizer 4.0.0 counts. */
const samples: readonly [what: string, tokens: number, text: string][] = [
  [
    'english',
    135,
    "The agreement runs for two years from the day it is signed and renews itself for one more year unless either side gives notice in writing. Notice has to reach the other side at least ninety days before the end of the term. If the supplier raises its prices by more than five percent, the customer may leave with a notice of thirty days. Deliveries that arrive late by more than a week give the customer a right to a reduction, which is counted from the eighth day on. Nothing in this section takes away rights that the law gives to consumers. Disputes are heard by the courts at the supplier's seat, although both sides have agreed to try mediation first.",
  ],
  [
    'german',
    109,
    'Der Vertrag läuft zwei Jahre ab dem Tag der Unterzeichnung und verlängert sich um ein weiteres Jahr, wenn keine der Parteien schriftlich kündigt. Die Kündigung muss der anderen Seite spätestens neunzig Tage vor Ablauf zugehen. Erhöht der Lieferant seine Preise um mehr als fünf Prozent, so kann der Kunde mit einer Frist von dreißig Tagen kündigen. Verspätete Lieferungen berechtigen den Auftraggeber zu einer Minderung, die ab dem achten Tag berechnet wird. Gesetzliche Verbraucherrechte bleiben unberührt.',
  ],
  [
    'polish',
    101,
    'Umowa obowiązuje przez dwa lata od dnia jej podpisania i przedłuża się na kolejny rok, chyba że jedna ze stron wypowie ją na piśmie. Wypowiedzenie musi dotrzeć do drugiej strony co najmniej dziewięćdziesiąt dni przed upływem terminu. Jeżeli dostawca podniesie ceny o więcej niż pięć procent, klient może odstąpić od umowy z trzydziestodniowym wyprzedzeniem.',
  ],
  [
    'russian',
    118,
    'Договор действует в течение двух лет со дня подписания и продлевается ещё на один год, если ни одна из сторон не заявит о его расторжении в письменной форме. Уведомление должно быть получено другой стороной не позднее чем за девяносто дней до окончания срока. Если поставщик повысит цены более чем на пять процентов, заказчик вправе отказаться от договора, предупредив об этом за тридцать дней. Просрочка поставки даёт право на уменьшение цены, которое исчисляется с восьмого дня.',
  ],
  [
    'greek',
    79,
    'Η σύμβαση ισχύει για δύο χρόνια από την ημέρα της υπογραφής της και ανανεώνεται για ένα ακόμη έτος, εκτός αν ένα από τα μέρη την καταγγείλει εγγράφως. Η καταγγελία πρέπει να φτάσει στο άλλο μέρος τουλάχιστον ενενήντα ημέρες πριν από τη λήξη.',
  ],
  [
    'arabic',
    84,
    'يسري العقد لمدة سنتين من يوم توقيعه ويتجدد لسنة أخرى ما لم يخطر أحد الطرفين الآخر كتابة بإنهائه. ويجب أن يصل الإخطار إلى الطرف الآخر قبل تسعين يوما على الأقل من انتهاء المدة. وإذا رفع المورد أسعاره بأكثر من خمسة في المائة جاز للعميل إنهاء العقد بإخطار مدته ثلاثون يوما.',
  ],
  [
    'hindi',
    91,
    'यह अनुबंध हस्ताक्षर की तारीख से दो वर्ष तक लागू रहता है और एक वर्ष के लिए बढ़ जाता है, जब तक कि कोई पक्ष लिखित रूप में इसे समाप्त न करे। सूचना अवधि समाप्त होने से कम से कम नब्बे दिन पहले दूसरे पक्ष तक पहुँचनी चाहिए। यदि आपूर्तिकर्ता अपनी कीमतें पाँच प्रतिशत से अधिक बढ़ाता है, तो ग्राहक तीस दिन की सूचना पर इसे समाप्त कर सकता है।',
  ],
  [
    'thai',
    81,
    'สัญญานี้มีผลบังคับใช้เป็นเวลาสองปีนับจากวันที่ลงนาม และจะต่ออายุออกไปอีกหนึ่งปี เว้นแต่ฝ่ายใดฝ่ายหนึ่งจะแจ้งยกเลิกเป็นลายลักษณ์อักษร การแจ้งต้องถึงอีกฝ่ายหนึ่งอย่างน้อยเก้าสิบวันก่อนสิ้นสุดระยะเวลา',
  ],
  [
    'chinese',
    131,
    '本合同自签署之日起生效，有效期为两年，除非任何一方以书面形式提出终止，否则自动续期一年。终止通知应当在期限届满前至少九十日送达对方。如果供应商提价超过百分之五，客户可以提前三十日通知解除合同。逾期交货超过一周的，客户有权要求减价，减价从第八日起计算。本条规定不影响法律赋予消费者的权利。双方同意先行调解，调解不成的，由供应商所在地人民法院管辖。',
  ],
  [
    'japanese',
    143,
    '本契約は署名の日から二年間有効とし、いずれかの当事者が書面により解約を申し出ない限り、さらに一年間更新されます。解約の通知は、期間満了の少なくとも九十日前までに相手方に到達しなければなりません。供給者が価格を五パーセントを超えて引き上げた場合、顧客は三十日前の通知により契約を解除することができます。納品が一週間以上遅れた場合、顧客は減額を求めることができます。',
  ],
  [
    'korean',
    93,
    '본 계약은 서명한 날부터 2년간 유효하며, 당사자 중 일방이 서면으로 해지하지 않는 한 1년간 자동으로 연장됩니다. 해지 통지는 기간 만료 최소 90일 전에 상대방에게 도달해야 합니다. 공급자가 가격을 5퍼센트 넘게 인상하는 경우 고객은 30일 전에 통지하고 계약을 해지할 수 있습니다.',
  ],
  [
    'python',
    175,
    'from __future__ import annotations\n\nimport json\nfrom dataclasses import dataclass, field\n\n\n@dataclass(frozen=True)\nclass Invoice:\n    number: str\n    lines: list[tuple[str, int, float]] = field(default_factory=list)\n\n    def total(self, *, vat: float = 0.19) -> float:\n        net = sum(quantity * price for _, quantity, price in self.lines)\n        return round(net * (1 + vat), 2)\n\n\ndef load(path: str) -> list[Invoice]:\n    with open(path, encoding="utf-8") as handle:\n        return [Invoice(**row) for row in json.load(handle)]\n\n\nif __name__ == "__main__":\n    for invoice in load("invoices.json"):\n        print(f"{invoice.number:>12} {invoice.total():10.2f}")\n',
  ],
  [
    'sql',
    84,
    "SELECT c.name, COUNT(o.id) AS orders, SUM(o.total) AS revenue\nFROM customers c\nLEFT JOIN orders o ON o.customer_id = c.id AND o.created_at >= '2025-01-01'\nWHERE c.country IN ('DE', 'AT', 'CH')\nGROUP BY c.id\nHAVING SUM(o.total) > 10000\nORDER BY revenue DESC\nLIMIT 20;\n",
  ],
  [
    'arithmetic',
    58,
    '37 * 129 = 4773; 4773 / 3 = 1591. Hence x = 1591 and y = 12.5 % of 8,640 = 1,080. The sum is 2,671 (±0.5).',
  ],
  [
    'json',
    90,
    '{"name":"assay","version":"0.4.0","files":["dist","bin"],"engines":{"node":">=22.18"},"limits":{"modelCalls":60,"tokens":200000,"ms":300000},"nested":[{"id":"obs-1","status":"ok","content":"it is noon"},{"id":"obs-2","status":"error","content":"no such file: ./prices.csv"}]}',
  ],
  [
    'log',
    263,
    '2026-02-01T12:00:00.0Z INFO [worker-0] request id=0 status=200 took=0ms path=/v1/runs/0\n2026-02-02T12:13:29.379Z INFO [worker-1] request id=9e3779b1 status=200 took=31ms path=/v1/runs/17\n2026-02-03T12:26:58.758Z INFO [worker-2] request id=3c6ef362 status=200 took=62ms path=/v1/runs/34\n2026-02-04T12:39:27.137Z INFO [worker-3] request id=daa66d13 status=200 took=93ms path=/v1/runs/51\n2026-02-05T12:52:56.516Z INFO [worker-0] request id=78dde6c4 status=200 took=124ms path=/v1/runs/68\n2026-02-06T12:05:25.895Z INFO [worker-1] request id=17156075 status=200 took=155ms path=/v1/runs/85',
  ],
  [
    'typescript',
    72,
    'export function addUsage(a: Usage, b: Usage): Usage {\n  const sum: Usage = {\n    modelCalls: a.modelCalls + b.modelCalls,\n    inputTokens: a.inputTokens + b.inputTokens,\n  };\n  if (b.cacheWriteTokens !== undefined) sum.cacheWriteTokens = b.cacheWriteTokens;\n  return sum;\n}\n',
  ],
  [
    'markdown',
    60,
    '# Costs\n\n- **Input** and output have prices of their own; see the [list](./prices.md).\n- What was read from the cache costs a tenth.\n\n| model | input |\n| --- | ---: |\n| `gpt-5-mini` | 0.25 |\n',
  ],
];

const errors = samples.map(([what, tokens, text]) => ({ what, error: estimateTokens(text) / tokens - 1 }));
const bytesError = (tokens: number, text: string): number =>
  Math.abs(Math.ceil(Buffer.byteLength(text) / 4) / tokens - 1);

describe('an estimate of the tokens of a text', () => {
  it.each(samples)('of %s is near what the tokenizer counts', (_what, tokens, text) => {
    expect(Math.abs(estimateTokens(text) / tokens - 1)).toBeLessThan(0.2);
  });

  it('is on average within a tenth, and three times as near as four bytes a token', () => {
    const mean = errors.reduce((sum, { error }) => sum + Math.abs(error), 0) / errors.length;
    const byBytes = samples.reduce((sum, [, tokens, text]) => sum + bytesError(tokens, text), 0) / samples.length;
    expect(mean).toBeLessThan(0.1);
    expect(byBytes).toBeGreaterThan(3 * mean);
  });

  it('of a long text is that of its parts, though it is not read whole', () => {
    for (const [, , text] of samples) {
      const times = Math.ceil(20_000 / text.length);
      expect(estimateTokens(`${text}\n`.repeat(times)) / (times * estimateTokens(`${text}\n`))).toBeGreaterThan(0.8);
      expect(estimateTokens(`${text}\n`.repeat(times)) / (times * estimateTokens(`${text}\n`))).toBeLessThan(1.2);
    }
  });

  it('of any text is a whole number, none for nothing, and no more than its bytes and a half', () => {
    expect(estimateTokens('')).toBe(0);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5_000 }), (text) => {
        const tokens = estimateTokens(text);
        expect(Number.isSafeInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThanOrEqual(text === '' ? 0 : 1);
        expect(tokens).toBeLessThanOrEqual(1 + 1.5 * Buffer.byteLength(text));
      }),
    );
  });
});

describe('the best count there is', () => {
  it('is the tokenizer where it is installed, else the estimate', async (context) => {
    const count = await bestCount();
    if (count === estimateTokens) {
      context.skip('gpt-tokenizer, an optional peer, is not installed');
      return;
    }
    for (const [, tokens, text] of samples) expect(count(text)).toBe(tokens);
  });
});
