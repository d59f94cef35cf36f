"use strict";

// Labels are digits of base 36, all of one width; names of rows are as they are.
function labelsAsCsv(data) {
  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [data.head.join(",")];
  for (let row = 0; row < data.n; row += 1) {
    const fields = data.head[0] === "row" ? [row + 1] : [];
    if (data.ids) {
      fields.push(quoted(data.ids[row]));
    }
    fields.push(parseInt(data.digits.slice(row * data.width, (row + 1) * data.width), 36));
    lines.push(fields.join(","));
  }
  return `${lines.join("\n")}\n`;
}

function download(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const button = document.getElementById("download");
if (button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const data = JSON.parse(document.getElementById("label-data").textContent);
    download(labelsAsCsv(data), "labels.csv");
    document.getElementById("downloaded").textContent = `${data.n} rows written to labels.csv`;
  });
}

// Paper has no triangles to press.
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) {
    details.open = true;
  }
});
