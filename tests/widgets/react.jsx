// The React libraries on one page each, chosen by the address's fragment.
import * as React from "react";
import { createRoot } from "react-dom/client";
import * as Mui from "@mui/material";
import * as Antd from "antd";
import ReactSelect from "react-select";

const colors = ["Red", "Green", "Blue", "Violet"];
const many = Array.from({ length: 300 }, (_, n) => `Item ${n}`);
const say = (what, value) => { window.log.push(`${what} ${value}`); };

function MuiPage() {
  const [color, setColor] = React.useState("");
  const [open, setOpen] = React.useState(false);
  return <div>
    <Mui.Button variant="contained" onClick={() => say("button", 1)}>Press me</Mui.Button>
    <Mui.TextField label="Full name" onChange={(event) => say("name", event.target.value)} />
    <Mui.FormControl sx={{ m: 1, minWidth: 160 }}>
      <Mui.InputLabel id="color-label">Color</Mui.InputLabel>
      <Mui.Select labelId="color-label" label="Color" value={color}
        onChange={(event) => { setColor(event.target.value); say("color", event.target.value); }}>
        {colors.map((one) => <Mui.MenuItem key={one} value={one.toLowerCase()}>{one}</Mui.MenuItem>)}
      </Mui.Select>
    </Mui.FormControl>
    <Mui.Autocomplete options={many} onChange={(_, value) => say("auto", value)}
      renderInput={(params) => <Mui.TextField {...params} label="Item" />} />
    <Mui.FormControlLabel control={<Mui.Checkbox onChange={(_, on) => say("terms", on)} />} label="Terms" />
    <Mui.FormControlLabel control={<Mui.Switch onChange={(_, on) => say("dark", on)} />} label="Dark" />
    <Mui.Slider aria-label="Volume" defaultValue={30} onChange={(_, value) => say("volume", value)} />
    <Mui.Button onClick={() => setOpen(true)}>Open dialog</Mui.Button>
    <Mui.Dialog open={open} onClose={() => setOpen(false)}>
      <Mui.DialogTitle>Sure?</Mui.DialogTitle>
      <Mui.DialogActions>
        <Mui.Button onClick={() => { setOpen(false); say("dialog", "yes"); }}>Yes, do it</Mui.Button>
      </Mui.DialogActions>
    </Mui.Dialog>
  </div>;
}

const columns = [{ title: "Name", dataIndex: "name", width: 200 }, { title: "Age", dataIndex: "age", width: 80 }];
const rows = Array.from({ length: 1000 }, (_, n) => ({ key: n, name: `Person ${n}`, age: n % 90 }));

function AntdPage() {
  const [open, setOpen] = React.useState(false);
  const options = colors.map((one) => ({ label: one, value: one.toLowerCase() }));
  return <div style={{ padding: 8 }}>
    <Antd.Button type="primary" onClick={() => say("button", 1)}>Press me</Antd.Button>
    <Antd.Select aria-label="Color" style={{ width: 160 }} options={options}
      onChange={(value) => say("color", value)} />
    <Antd.Select aria-label="Item" showSearch style={{ width: 160 }}
      options={many.map((one) => ({ label: one, value: one }))} onChange={(value) => say("item", value)} />
    <Antd.Select aria-label="Colors" mode="multiple" style={{ width: 260 }} options={options}
      onChange={(value) => say("colors", value.join("+"))} />
    <Antd.Checkbox onChange={(event) => say("terms", event.target.checked)}>Terms</Antd.Checkbox>
    <Antd.Switch aria-label="Dark" onChange={(on) => say("dark", on)} />
    <Antd.Slider ariaLabelForHandle="Volume" defaultValue={30} style={{ width: 200 }}
      onChange={(value) => say("volume", value)} />
    <Antd.DatePicker aria-label="Day" onChange={(_, value) => say("day", value)} />
    <Antd.Button onClick={() => setOpen(true)}>Open modal</Antd.Button>
    <Antd.Modal open={open} title="Sure?" okText="Yes, do it" onCancel={() => setOpen(false)}
      onOk={() => { setOpen(false); say("modal", "yes"); }} />
    <Antd.Table virtual columns={columns} dataSource={rows} pagination={false} scroll={{ x: 280, y: 200 }} />
  </div>;
}

function SelectPage() {
  const options = colors.map((one) => ({ label: one, value: one.toLowerCase() }));
  return <div>
    <ReactSelect aria-label="Color" options={options} onChange={(one) => say("color", one.value)} />
    <ReactSelect aria-label="Colors" isMulti options={options}
      onChange={(all) => say("colors", all.map((one) => one.value).join("+"))} />
    <div style={{ height: 300 }} />
  </div>;
}

window.log = [];
const pages = { mui: MuiPage, antd: AntdPage, select: SelectPage };
createRoot(document.getElementById("root")).render(React.createElement(pages[location.hash.slice(1)]));
