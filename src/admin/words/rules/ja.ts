import type { Rules } from './en.ts'

export const rules: Rules = {
  required: '入力してください。',
  string: 'テキストで指定してください。',
  length: (least, most, count) => `${least}～${most}文字で入力してください（現在${count}文字）。`,
  wellFormed: '文字が途中で切れているため、正しい Unicode ではありません。',
  oneLine: '1行で入力してください。制御文字や、文字の方向を変える文字は使えません。',
  visible: '目に見える文字が1つ以上必要です。',
  type: (types) => `次のいずれかを指定してください：${types}`,

  unseen: 'リンクに空白や目に見えない文字は使えません。代わりにハイフンか %20 を使ってください。',
  backslash: '\\ の代わりに / を使ってください。',
  url: 'ブラウザで開けないアドレスです。https://example.com/sale のように、ブラウザからコピーしてください。',
  scheme: 'アドレスは https://example.com/sale のように、https:// で始めてください。',
  reference:
    'リンク先はページです。https:// で始まるアドレスか、/sale のようなパスを入力してください。',
  icon: (least, most) =>
    `Lucide のアイコン名を、英数字とハイフン${least}～${most}文字で入力してください。`,

  instant: '1970年より前の日時です。年は2027のように4桁で入力してください。',
  future: '未来の日時を指定してください。',
  afterStart: '終了は開始より後にしてください。',
  full: (most) =>
    `すでに${most}件のお知らせが予約されています。どれかが始まるまで待つか、予約を削除してください。`,

  byLanguage: '言語ごとのテキストをオブジェクトで指定してください：{ "de": "…" }',
  tag: 'その言語はありません。一覧から選ぶか、フランス語なら fr のようなコードを入力してください。',
  sameLanguage: (tag) => `同じ言語がすでに指定されています：${tag}`,
  languages: (most, count) => `言語は${most}個までです（現在${count}個）。`,
  bytes: (most, count) =>
    `テキスト全体の合計は、UTF-8 で${most}バイトまでです（現在${count}バイト）。`,
  unknown: 'この項目は使えません。',

  noIcon: (name) => `「${name}」というアイコンはないため、キラキラが表示されます。`,
  noSlash:
    'リンクがスラッシュで始まっていないため、ページごとに別の場所へ移動します。/ または https:// で始めてください。',
  credentials: 'リンクのホスト名の前にユーザー名またはパスワードがあり、すべての訪問者に見えます。',
  percent:
    'リンクに、多くのサーバーが受け付けない % があります。パーセント記号は %25 と書いてください。',
  noLanguage: (tag) =>
    `「${tag}」というコードの言語はないため、このテキストは誰にも表示されません。一覧から選んでください（フランス語なら fr）。`,
  tooLong: (letters) =>
    `テキストがデスクトップでの表示幅（半角で約${letters}文字）より長いため、末尾が切れます。`,
  tooLongIn: (tag, letters) =>
    `${tag} のテキストがデスクトップでの表示幅（半角で約${letters}文字）より長いため、末尾が切れます。`,
}
